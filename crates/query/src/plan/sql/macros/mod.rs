//! Functions that are written as expressions of other functions.
//!
//! Each has a definition in SQL in [`definitions`]. A call is replaced in the syntax tree, before
//! the statement is planned, so that the planner, the optimiser and the GPU see the parts.

mod definitions;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use datafusion::sql::planner::IdentNormalizer;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Select,
    SelectItem, Statement, VisitorMut,
};
use datafusion::sql::sqlparser::parser::Parser;

use super::parse::PeltonDialect;
use super::walk::WalkMut;
use crate::error::{Error, OtherName, Result};

/// Replaces the calls of macros in a statement, given the names that functions have.
///
/// # Errors
/// A call has a clause, such as DISTINCT, that its macro does not take, or another count of
/// arguments.
pub(super) fn expand(statement: &mut Statement, is_function: &dyn Fn(&str) -> bool) -> Result<()> {
    match statement.walk_mut(&mut Expand { is_function }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(message) => Err(Error::Query(message)),
    }
}

/// One form of a macro: its parameters, and the expression that it stands for.
struct Macro {
    parameters: Vec<String>,
    body: Expr,
    /// The body is an aggregate, or has some, to which FILTER and OVER of the call belong.
    is_aggregate: bool,
}

/// The macros by name; each has a form for each count of arguments.
fn macros() -> &'static HashMap<&'static str, Vec<Macro>> {
    static MACROS: OnceLock<HashMap<&'static str, Vec<Macro>>> = OnceLock::new();
    MACROS.get_or_init(|| {
        let mut macros: HashMap<&'static str, Vec<Macro>> = HashMap::new();
        let scalars = definitions::SCALARS.iter().map(|definition| (definition, false));
        let aggregates = definitions::AGGREGATES.iter().map(|definition| (definition, true));
        for ((names, parameters, body), is_aggregate) in scalars.chain(aggregates) {
            for name in names.split(' ') {
                let Some(body) = parsed(body) else { continue };
                let parameters = parameters.split(' ').filter(|name| !name.is_empty());
                let parameters = parameters.map(str::to_owned).collect();
                macros.entry(name).or_default().push(Macro { parameters, body, is_aggregate });
            }
        }
        macros
    })
}

fn parsed(body: &str) -> Option<Expr> {
    Parser::new(&PeltonDialect).try_with_sql(body).ok()?.parse_expr().ok()
}

/// Returns the names of the macros that call a function, with the forms of their calls.
pub(in crate::plan) fn callers(function: &str) -> Vec<OtherName> {
    let call = format!("{function}(");
    let definitions = definitions::SCALARS.iter().chain(definitions::AGGREGATES);
    let is_part = |part: char| part.is_alphanumeric() || part == '_';
    let calls = |body: &str| body.match_indices(&call).any(|(at, _)| !body[..at].ends_with(is_part));
    let callers = definitions.filter(|(.., body)| calls(body));
    let named = callers.flat_map(|(names, ..)| names.split(' '));
    named.map(|name| OtherName { name: name.to_owned(), forms: forms_of(name) }).collect()
}

/// Returns the forms of the calls of a macro.
fn forms_of(name: &str) -> String {
    let forms = macros().get(name).into_iter().flatten();
    forms.map(|form| format!("{name}({})", form.parameters.join(", "))).collect::<Vec<_>>().join(" or ")
}

struct Expand<'a> {
    /// Returns whether there is a function of a name.
    is_function: &'a dyn Fn(&str) -> bool,
}

impl VisitorMut for Expand<'_> {
    type Break = String;

    /// Keeps the titles of columns that are macros.
    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<String> {
        for item in &mut select.projection {
            if let SelectItem::UnnamedExpr(expr) = item
                && let Expr::Function(function) = &*expr
                && found(function).is_some()
            {
                let alias = Ident::with_quote('"', expr.to_string());
                *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
            }
        }
        ControlFlow::Continue(())
    }

    // arguments first, so that macros in them are replaced before they are copied
    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<String> {
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        if let Some(named) = list_aggregate(function) {
            *function = named;
        }
        let Some(found) = found(function) else {
            let count = other_count(function).filter(|_| !(self.is_function)(&name_of(function)));
            if let Some(message) = count {
                return ControlFlow::Break(message);
            }
            return match missing(function) {
                Some(instead) => {
                    ControlFlow::Break(format!("there is no function {}: write {instead}", function.name))
                }
                None => ControlFlow::Continue(()),
            };
        };
        match found.replace(function) {
            Ok(replaced) => {
                *expr = replaced;
                ControlFlow::Continue(())
            }
            Err(message) => ControlFlow::Break(message),
        }
    }
}

/// Returns the form to write in place of a function that is missing.
fn missing(call: &Function) -> Option<&'static str> {
    let name = call.name.to_string().to_lowercase();
    let mut entries = definitions::MISSING.iter();
    entries.find(|(names, _)| names.split(' ').any(|missing| missing == name)).map(|(_, instead)| *instead)
}

fn name_of(function: &Function) -> String {
    function.name.to_string().to_lowercase()
}

/// Returns the error of a call of a macro with another count of arguments than it takes.
fn other_count(function: &Function) -> Option<String> {
    let name = name_of(function);
    macros().get(name.as_str())?;
    let count = arguments(function)?.len();
    let arguments = if count == 1 { "argument" } else { "arguments" };
    Some(format!("{} does not take {count} {arguments}: write {}", function.name, forms_of(&name)))
}

/// Returns the function that `list_aggregate(list, 'sum')` means: `list_sum(list)`.
fn list_aggregate(call: &Function) -> Option<Function> {
    let name = call.name.to_string().to_lowercase();
    if !["list_aggregate", "list_aggr", "array_aggregate", "array_aggr", "aggregate"].contains(&name.as_str())
    {
        return None;
    }
    let FunctionArguments::List(list) = &call.args else { return None };
    let FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(aggregate))) = list.args.get(1)? else {
        return None;
    };
    let name = format!("list_{}", aggregate.value.clone().into_string()?.to_lowercase());
    let mut named = Function { name: vec![Ident::new(name)].into(), ..call.clone() };
    if let FunctionArguments::List(list) = &mut named.args {
        list.args.remove(1);
    }
    Some(named)
}

/// Returns the macro that a call means.
fn found(function: &Function) -> Option<&'static Macro> {
    let [name] = function.name.0.as_slice() else { return None };
    let name = IdentNormalizer::new(true).normalize(name.as_ident()?.clone()).to_lowercase();
    let count = arguments(function)?.len();
    let forms = macros().get(name.as_str())?;
    forms.iter().find(|form| form.parameters.len() == count)
}

/// Returns the arguments of a call; `None` if one is named or a wildcard.
fn arguments(function: &Function) -> Option<Vec<&Expr>> {
    let list = match &function.args {
        FunctionArguments::None => return Some(vec![]),
        FunctionArguments::Subquery(_) => return None,
        FunctionArguments::List(list) => list,
    };
    let values = list.args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    });
    values.collect()
}

impl Macro {
    fn replace(&self, call: &Function) -> std::result::Result<Expr, String> {
        let arguments = arguments(call).unwrap_or_default();
        let values = self.parameters.iter().map(String::as_str).zip(arguments);
        let values: HashMap<&str, &Expr> = values.collect();
        let (is_distinct, clauses) = match &call.args {
            FunctionArguments::List(list) => (list.duplicate_treatment.is_some(), list.clauses.as_slice()),
            _ => (false, [].as_slice()),
        };
        // one call of an aggregate takes all clauses of the macro's
        let is_whole =
            self.is_aggregate && matches!(&self.body, Expr::Function(body) if has_no_clauses(body));
        let is_filtered = call.filter.is_some() || call.over.is_some();
        let has_others = is_distinct
            || !clauses.is_empty()
            || !call.within_group.is_empty()
            || call.null_treatment.is_some();
        if (has_others && !is_whole) || (is_filtered && !self.is_aggregate) {
            return Err(format!(
                "{} takes its arguments alone: write DISTINCT, ORDER BY and the like in a subquery",
                call.name
            ));
        }
        let mut body = self.body.clone();
        let ControlFlow::Continue(()) = body.walk_mut(&mut Fill { values, call }) else {
            return Ok(body);
        };
        if let (Expr::Function(body), true) = (&mut body, is_whole) {
            body.null_treatment = call.null_treatment;
            if let (FunctionArguments::List(to), FunctionArguments::List(from)) = (&mut body.args, &call.args)
            {
                to.duplicate_treatment = from.duplicate_treatment;
                to.clauses.clone_from(&from.clauses);
            }
            return Ok(Expr::Function(body.clone()));
        }
        Ok(Expr::Nested(Box::new(body)))
    }
}

/// Fills the arguments of a call into the body of its macro.
struct Fill<'a> {
    values: HashMap<&'a str, &'a Expr>,
    call: &'a Function,
}

impl VisitorMut for Fill<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(name) if name.quote_style.is_none() => {
                if let Some(value) = self.values.get(name.value.as_str()) {
                    *expr = match value {
                        Expr::Identifier(_)
                        | Expr::CompoundIdentifier(_)
                        | Expr::Value(_)
                        | Expr::Lambda(_) => (*value).clone(),
                        value => Expr::Nested(Box::new((*value).clone())),
                    };
                }
            }
            Expr::Function(function) if is_aggregate(function) => {
                function.over.clone_from(&self.call.over);
                function.filter = match (function.filter.take(), &self.call.filter) {
                    (Some(own), Some(of_call)) => Some(Box::new(Expr::BinaryOp {
                        left: Box::new(Expr::Nested(own)),
                        op: BinaryOperator::And,
                        right: Box::new(Expr::Nested(of_call.clone())),
                    })),
                    (own, of_call) => own.or_else(|| of_call.clone()),
                };
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Returns whether an aggregate in a macro's body leaves its clauses to the call.
fn has_no_clauses(body: &Function) -> bool {
    is_aggregate(body)
        && body.within_group.is_empty()
        && matches!(&body.args, FunctionArguments::List(list) if list.clauses.is_empty())
}

/// Returns whether a function in a macro's body is an aggregate.
fn is_aggregate(function: &Function) -> bool {
    let name = function.name.to_string();
    definitions::AGGREGATES_IN_BODIES.contains(&name.as_str())
}
