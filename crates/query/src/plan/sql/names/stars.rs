//! Columns of a FROM clause by pattern: `COLUMNS('^a')`, `* RENAME (a AS b)`, `ORDER BY ALL`.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::ops::ControlFlow;

use datafusion::common::{ScalarValue, TableReference};
use datafusion::error::Result;
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr as PlanExpr, LogicalPlan};
use datafusion::sql::parser::Statement;
use datafusion::sql::planner::IdentNormalizer;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, LambdaFunction,
    OrderByExpr, OrderByKind, Query, RenameSelectItem, Select, SelectItem, SelectItemQualifiedWildcardKind,
    SetExpr, Statement as SqlStatement, Value, VisitorMut, WildcardAdditionalOptions,
};
use datafusion::sql::sqlparser::parser::Parser;
use regex::Regex;

use super::scopes::Scopes;
use super::using_joins::{self, merges};
use super::wildcards;
use crate::error::{Error, wrap};
use crate::plan::sql::parse::PeltonDialect;
use crate::plan::sql::walk::{WalkMut, each_expression};

/// Replaces each `COLUMNS(…)`, each `*` that renames columns, and each ORDER BY ALL by columns.
///
/// # Errors
/// The pattern of a COLUMNS is wrong or matches no column, or the columns can't be told.
pub(in crate::plan::sql) async fn expand(state: &SessionState, statement: &mut SqlStatement) -> Result<()> {
    // each round replaces those of one depth of subqueries
    loop {
        let mut find = Find::default();
        let ControlFlow::Continue(()) = statement.walk_mut(&mut find);
        if find.wanted.is_empty() {
            return Ok(());
        }
        let mut known = HashMap::new();
        let mut failure = None;
        for (key, query) in find.wanted {
            let is_merged = matches!(
                query.body.as_ref(),
                SetExpr::Select(select) if select.from.iter().any(|table| merges(table, true))
            );
            let mut probe = SqlStatement::Query(Box::new(query));
            if is_merged {
                // in the order of the tables, without their names
                let mut written = probe.clone();
                if using_joins::write_out(state, &mut written, false).await.is_ok()
                    && let Ok(plan) = state.statement_to_plan(statement_of(written.clone())).await
                    && is_distinct(&plan)
                {
                    probe = written;
                }
            }
            match state.statement_to_plan(statement_of(probe)).await {
                Ok(plan) => {
                    let columns = plan
                        .schema()
                        .iter()
                        .map(|(table, field)| Column { table: table.cloned(), name: field.name().clone() });
                    let mut columns = columns.collect::<Vec<_>>();
                    if is_merged {
                        merge(&mut columns);
                    }
                    known.insert(key, columns);
                }
                Err(error) => failure = Some(error),
            }
        }
        match failure {
            Some(error) if known.is_empty() => return Err(error),
            _ => {}
        }
        let names = known.values().flatten().map(|column| column.name.clone()).collect::<Vec<_>>();
        let chosen = chosen(state, &find.lambdas, &names).await?;
        let mut replace = Replace { scopes: Scopes::default(), known, chosen };
        match statement.walk_mut(&mut replace) {
            ControlFlow::Continue(()) => {}
            ControlFlow::Break(message) => return Err(wrap(Error::Query(message))),
        }
    }
}

/// A column of a FROM clause.
#[derive(Clone, PartialEq)]
struct Column {
    table: Option<TableReference>,
    name: String,
}

impl Column {
    fn expr(&self) -> Expr {
        wildcards::column(self.table.as_ref(), &self.name)
    }
}

fn statement_of(sql: SqlStatement) -> Statement {
    Statement::Statement(Box::new(sql))
}

/// Returns whether no two columns of a plan have the same name.
fn is_distinct(plan: &LogicalPlan) -> bool {
    let mut names = HashSet::new();
    plan.schema().fields().iter().all(|field| names.insert(field.name()))
}

/// Leaves out the tables of columns with names of their own. A column of a join by USING belongs to
/// no table: it has the value of the left side, or of the side that has one.
fn merge(columns: &mut [Column]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for column in columns.iter() {
        *counts.entry(column.name.clone()).or_default() += 1;
    }
    for column in columns.iter_mut().filter(|column| counts[&column.name] == 1) {
        column.table = None;
    }
}

/// Evaluates the conditions of COLUMNS on the names of columns.
///
/// # Errors
/// A condition is not one of the name alone.
async fn chosen(
    state: &SessionState,
    lambdas: &[LambdaFunction],
    names: &[String],
) -> Result<HashMap<(String, String), bool>> {
    let mut chosen = HashMap::new();
    for lambda in lambdas {
        for name in names {
            let refused = || {
                wrap(Error::Query(format!(
                    "COLUMNS({lambda}) needs a condition on the column's name alone: write COLUMNS(lambda c: c LIKE \
                     'a%')"
                )))
            };
            let [parameter] = lambda.params.iter().collect::<Vec<_>>()[..] else { return Err(refused()) };
            let mut body = (*lambda.body).clone();
            let mut fill = Fill { parameter: &parameter.name.value, name };
            let ControlFlow::Continue(()) = body.walk_mut(&mut fill);
            let text = format!("SELECT {body}");
            // a parser may not be kept while a future waits
            let parsed = Parser::new(&PeltonDialect).try_with_sql(&text);
            let query = parsed.and_then(|mut parser| parser.parse_query()).map_err(|_| refused())?;
            let statement = Statement::Statement(Box::new(SqlStatement::Query(query)));
            let plan = state.optimize(&state.statement_to_plan(statement).await?)?;
            let LogicalPlan::Projection(projection) = &plan else { return Err(refused()) };
            let value = projection.expr.first().map(|expr| expr.clone().unalias());
            let Some(PlanExpr::Literal(ScalarValue::Boolean(value), _)) = value else {
                return Err(refused());
            };
            chosen.insert((lambda.to_string(), name.clone()), value.unwrap_or_default());
        }
    }
    Ok(chosen)
}

/// Puts the name of a column into the condition of a COLUMNS.
struct Fill<'a> {
    parameter: &'a str,
    name: &'a str,
}

impl VisitorMut for Fill<'_> {
    type Break = Infallible;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Infallible> {
        match expr {
            Expr::Identifier(found) if found.value == self.parameter => {
                *expr = Expr::value(Value::SingleQuotedString(self.name.to_owned()));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Collects the queries that have the columns of the FROM clauses that are asked for.
#[derive(Default)]
struct Find {
    scopes: Scopes,
    wanted: HashMap<String, Query>,
    lambdas: Vec<LambdaFunction>,
}

impl VisitorMut for Find {
    type Break = Infallible;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Infallible> {
        self.scopes.push(query);
        if orders_by_all(query) {
            let probe = self.scopes.unordered(query);
            self.wanted.insert(probe.to_string(), probe);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Infallible> {
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Infallible> {
        if needs_columns(select)
            && let Some(probe) = self.scopes.probe(select)
        {
            self.wanted.insert(probe.to_string(), probe);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Infallible> {
        if let Some(Pattern::Condition(lambda)) = pattern(expr) {
            self.lambdas.push(lambda.clone());
        }
        ControlFlow::Continue(())
    }
}

fn orders_by_all(query: &Query) -> bool {
    query.order_by.as_ref().is_some_and(|order| matches!(order.kind, OrderByKind::All(_)))
}

fn needs_columns(select: &Select) -> bool {
    let renames = |item: &SelectItem| match item {
        SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => changes(options),
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => has_pattern(expr),
        SelectItem::ExprWithAliases { .. } => false,
    };
    select.projection.iter().any(renames) || select.selection.as_ref().is_some_and(has_pattern)
}

/// Returns whether a `*` has a clause that DataFusion lacks, or in which it overlooks missing
/// columns.
fn changes(options: &WildcardAdditionalOptions) -> bool {
    options.opt_rename.is_some() || options.opt_ilike.is_some() || options.opt_replace.is_some()
}

/// Returns whether an expression has a COLUMNS, outside of the subqueries in it.
pub(in crate::plan::sql) fn has_pattern(expr: &Expr) -> bool {
    let found = each_expression(expr, |part| match pattern(part) {
        Some(_) => ControlFlow::Break(()),
        None => ControlFlow::Continue(()),
    });
    found.is_break()
}

/// The columns that a COLUMNS means.
enum Pattern<'a> {
    All(Option<&'a WildcardAdditionalOptions>),
    Expression(&'a str),
    Names(Vec<String>),
    Condition(&'a LambdaFunction),
    Wrong(String),
}

/// Returns the pattern of a COLUMNS; `None` for any other expression.
fn pattern(expr: &Expr) -> Option<Pattern<'_>> {
    let Expr::Function(Function { name, args: FunctionArguments::List(list), .. }) = expr else {
        return None;
    };
    let [name] = name.0.as_slice() else { return None };
    if !name.as_ident()?.value.eq_ignore_ascii_case("columns") {
        return None;
    }
    let [argument] = list.args.as_slice() else { return Some(Pattern::Wrong(expr.to_string())) };
    Some(match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => Pattern::All(None),
        FunctionArg::Unnamed(FunctionArgExpr::WildcardWithOptions(options)) => Pattern::All(Some(options)),
        FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) => match argument {
            Expr::Lambda(lambda) => Pattern::Condition(lambda),
            Expr::Value(value) => match &value.value {
                Value::SingleQuotedString(text) => Pattern::Expression(text),
                _ => Pattern::Wrong(expr.to_string()),
            },
            Expr::Array(array) => {
                let names = array.elem.iter().map(|element| match element {
                    Expr::Value(value) => value.value.clone().into_string(),
                    _ => None,
                });
                names.collect::<Option<_>>().map_or_else(|| Pattern::Wrong(expr.to_string()), Pattern::Names)
            }
            _ => Pattern::Wrong(expr.to_string()),
        },
        _ => Pattern::Wrong(expr.to_string()),
    })
}

/// Columns, and the groups of their names that a pattern matched.
type Matches = Vec<(Expr, Vec<String>)>;

/// Replaces patterns by the columns of the FROM clauses that are known.
struct Replace {
    scopes: Scopes,
    known: HashMap<String, Vec<Column>>,
    chosen: HashMap<(String, String), bool>,
}

impl VisitorMut for Replace {
    type Break = String;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<String> {
        self.scopes.push(query);
        if orders_by_all(query)
            && let Some(columns) = self.known.get(&self.scopes.unordered(query).to_string())
            && let Some(order) = &mut query.order_by
            && let OrderByKind::All(options) = &order.kind
        {
            let keys = (1..=columns.len()).map(|number| OrderByExpr {
                expr: Expr::value(Value::Number(number.to_string(), false)),
                options: *options,
                with_fill: None,
            });
            order.kind = OrderByKind::Expressions(keys.collect());
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<String> {
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<String> {
        if !needs_columns(select) {
            return ControlFlow::Continue(());
        }
        let probe = self.scopes.probe(select).map(|probe| probe.to_string());
        let Some(columns) = probe.and_then(|probe| self.known.get(&probe)).cloned() else {
            return ControlFlow::Continue(());
        };
        match self.in_select(select, &columns) {
            Ok(()) => ControlFlow::Continue(()),
            Err(message) => ControlFlow::Break(message),
        }
    }
}

impl Replace {
    fn in_select(&self, select: &mut Select, columns: &[Column]) -> std::result::Result<(), String> {
        let mut items = Vec::new();
        for item in &select.projection {
            match item {
                SelectItem::Wildcard(options) => items.extend(starred(columns, options)?),
                SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(table),
                    options,
                ) if changes(options) => {
                    let table = table.0.last().and_then(|part| part.as_ident()).map(normalized);
                    let of = |column: &&Column| {
                        column.table.as_ref().map(TableReference::table) == table.as_deref()
                    };
                    let columns: Vec<Column> = columns.iter().filter(of).cloned().collect();
                    items.extend(starred(&columns, options)?);
                }
                SelectItem::UnnamedExpr(expr) if has_pattern(expr) => {
                    for (expr, groups) in self.each(expr, columns)? {
                        items.push(match (&expr, groups.into_iter().next()) {
                            (Expr::Identifier(_) | Expr::CompoundIdentifier(_), _) | (_, None) => {
                                SelectItem::UnnamedExpr(expr)
                            }
                            // a computed column has the name of the one that it is computed from
                            (_, Some(name)) => {
                                SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', name) }
                            }
                        });
                    }
                }
                SelectItem::ExprWithAlias { expr, alias } if has_pattern(expr) => {
                    for (expr, groups) in self.each(expr, columns)? {
                        let mut name = alias.value.clone();
                        for (number, group) in groups.iter().enumerate() {
                            name = name.replace(&format!("\\{number}"), group);
                        }
                        items.push(SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', name) });
                    }
                }
                other => items.push(other.clone()),
            }
        }
        select.projection = items;
        if let Some(condition) = &mut select.selection
            && has_pattern(condition)
        {
            let parts =
                self.each(condition, columns)?.into_iter().map(|(part, _)| Expr::Nested(Box::new(part)));
            let all = parts.reduce(|left, right| Expr::BinaryOp {
                left: Box::new(left),
                op: BinaryOperator::And,
                right: Box::new(right),
            });
            if let Some(all) = all {
                *condition = all;
            }
        }
        Ok(())
    }

    /// Returns an expression once for each column that its COLUMNS means, and the groups of the
    /// match.
    fn each(&self, expr: &Expr, columns: &[Column]) -> std::result::Result<Matches, String> {
        let mut found: Option<(String, Matches)> = None;
        let mut failure = None;
        let _ = each_expression(expr, |part| {
            let Some(meant) = pattern(part) else { return ControlFlow::Continue(()) };
            match &found {
                Some((text, _)) if *text == part.to_string() => return ControlFlow::Continue(()),
                Some(_) => failure = Some("the COLUMNS of one expression have to be equal".to_owned()),
                None => match self.matching(&meant, columns) {
                    Ok(matching) if matching.is_empty() => {
                        failure = Some(format!("{part} matches no column of the tables"));
                    }
                    Ok(matching) => {
                        found = Some((part.to_string(), matching));
                        return ControlFlow::Continue(());
                    }
                    Err(message) => failure = Some(message),
                },
            }
            ControlFlow::Break(())
        });
        if let Some(message) = failure {
            return Err(message);
        }
        let (text, matching) = found.unwrap_or_default();
        let filled = matching.into_iter().map(|(column, groups)| {
            let mut expr = expr.clone();
            let ControlFlow::Continue(()) = expr.walk_mut(&mut Put { text: &text, column: &column });
            (expr, groups)
        });
        Ok(filled.collect())
    }

    fn matching(&self, pattern: &Pattern<'_>, columns: &[Column]) -> std::result::Result<Matches, String> {
        let whole = |column: &Column| (column.expr(), vec![column.name.clone()]);
        Ok(match pattern {
            Pattern::All(None) => columns.iter().map(whole).collect(),
            Pattern::All(Some(options)) => {
                let items = starred(columns, options)?.into_iter().filter_map(|item| match item {
                    SelectItem::ExprWithAlias { expr, alias } => Some((expr, vec![alias.value])),
                    SelectItem::UnnamedExpr(expr) => {
                        let name = match &expr {
                            Expr::Identifier(name) => Some(name),
                            Expr::CompoundIdentifier(parts) => parts.last(),
                            _ => None,
                        };
                        let name = name.map(|name| name.value.clone()).into_iter().collect();
                        Some((expr, name))
                    }
                    _ => None,
                });
                items.collect()
            }
            Pattern::Expression(text) => {
                let regex = Regex::new(text)
                    .map_err(|_| format!("COLUMNS('{text}'): this is no regular expression"))?;
                let matched = columns.iter().filter_map(|column| {
                    let groups = regex.captures(&column.name)?;
                    let groups =
                        groups.iter().map(|group| group.map_or("", |group| group.as_str()).to_owned());
                    Some((column.expr(), groups.collect()))
                });
                matched.collect()
            }
            Pattern::Names(names) => {
                let mut matched = Vec::new();
                for name in names {
                    let mut columns = columns.iter();
                    let column = columns.find(|column| column.name.eq_ignore_ascii_case(name));
                    matched
                        .push(whole(column.ok_or_else(|| format!("there is no column {name} for COLUMNS"))?));
                }
                matched
            }
            Pattern::Condition(lambda) => {
                let lambda = lambda.to_string();
                let is_chosen = |column: &&Column| {
                    self.chosen.get(&(lambda.clone(), column.name.clone())).copied().unwrap_or_default()
                };
                columns.iter().filter(is_chosen).map(whole).collect()
            }
            Pattern::Wrong(text) => {
                return Err(format!(
                    "{text}: COLUMNS takes *, a regular expression, a list of names, or a condition: COLUMNS(lambda c: \
                     c LIKE 'a%')"
                ));
            }
        })
    }
}

/// Puts a column in the place of a COLUMNS.
struct Put<'a> {
    text: &'a str,
    column: &'a Expr,
}

impl VisitorMut for Put<'_> {
    type Break = Infallible;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Infallible> {
        if pattern(expr).is_some() && expr.to_string() == self.text {
            *expr = self.column.clone();
        }
        ControlFlow::Continue(())
    }
}

/// Returns the columns that a name, a `*` or a COLUMNS means, of those with some names.
///
/// # Errors
/// The expression is none of these, or there is no such column; the message says so.
pub(super) fn names_of(expr: &Expr, names: &[String]) -> std::result::Result<Vec<String>, String> {
    let columns: Vec<Column> = names.iter().map(|name| Column { table: None, name: name.clone() }).collect();
    if let Expr::Identifier(name) = expr {
        let name = normalized(name);
        return match names.contains(&name) {
            true => Ok(vec![name]),
            false => Err(format!("the table has no column {name}")),
        };
    }
    let replace = Replace { scopes: Scopes::default(), known: HashMap::new(), chosen: HashMap::new() };
    let pattern = pattern(expr).ok_or_else(|| format!("{expr} is no column of the table"))?;
    let matching = replace.matching(&pattern, &columns)?;
    let found = matching.into_iter().filter_map(|(expr, _)| match expr {
        Expr::Identifier(name) => Some(name.value),
        _ => None,
    });
    Ok(found.collect())
}

fn normalized(name: &Ident) -> String {
    IdentNormalizer::new(true).normalize(name.clone())
}

/// Returns the columns of a `*` with EXCLUDE, REPLACE, RENAME and ILIKE applied.
fn starred(
    columns: &[Column],
    options: &WildcardAdditionalOptions,
) -> std::result::Result<Vec<SelectItem>, String> {
    let plain = WildcardAdditionalOptions {
        opt_replace: None,
        opt_rename: None,
        opt_alias: None,
        opt_ilike: None,
        ..options.clone()
    };
    let excluded = wildcards::excluded(&plain, None).unwrap_or_default();
    let renames: Vec<(String, &Ident)> = match &options.opt_rename {
        None => vec![],
        Some(RenameSelectItem::Single(one)) => vec![(normalized(&one.ident), &one.alias)],
        Some(RenameSelectItem::Multiple(all)) => {
            all.iter().map(|one| (normalized(&one.ident), &one.alias)).collect()
        }
    };
    let replaced = options.opt_replace.iter().flat_map(|replace| &replace.items);
    let replaced: HashMap<String, &Expr> =
        replaced.map(|element| (normalized(&element.column_name), &element.expr)).collect();
    let named = renames.iter().map(|(name, _)| name).chain(excluded.iter()).chain(replaced.keys());
    for name in named {
        if !columns.iter().any(|column| column.name == *name) {
            return Err(format!("* has no column {name} to leave out, replace or rename"));
        }
    }
    let like = options.opt_ilike.as_ref().map(|like| like_regex(&like.pattern)).transpose()?;
    let mut items = Vec::new();
    for column in columns {
        if excluded.contains(&column.name) || like.as_ref().is_some_and(|like| !like.is_match(&column.name)) {
            continue;
        }
        let replaced = replaced.get(&column.name).copied();
        let expr = replaced.cloned().unwrap_or_else(|| column.expr());
        let renamed = renames.iter().find(|(name, _)| *name == column.name);
        items.push(match (renamed, replaced) {
            (Some((_, alias)), _) => SelectItem::ExprWithAlias { expr, alias: (*alias).clone() },
            (None, Some(_)) => {
                SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', column.name.clone()) }
            }
            (None, None) => SelectItem::UnnamedExpr(expr),
        });
    }
    Ok(items)
}

/// Returns the regular expression of an ILIKE pattern.
fn like_regex(like: &str) -> std::result::Result<Regex, String> {
    let mut pattern = "(?is)^".to_owned();
    for part in like.chars() {
        match part {
            '%' => pattern.push_str(".*"),
            '_' => pattern.push('.'),
            other => pattern.push_str(&regex::escape(&other.to_string())),
        }
    }
    pattern.push('$');
    Regex::new(&pattern).map_err(|_| format!("* ILIKE '{like}': the pattern is too long"))
}
