//! Parameters of statements: `$1`, `$name` and `?`, and their values.
//!
//! Values are put into the syntax tree in place of the parameters, before it is planned, so that
//! conditions on them prune and types are those of constants.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use datafusion::common::ScalarValue;
use datafusion::sql::parser::{CopyToSource, Statement};
use datafusion::sql::sqlparser::ast::{
    CastKind, DataType as SqlType, Expr, Statement as SqlStatement, Value, ValueWithSpan, VisitorMut,
};
use datafusion::sql::sqlparser::tokenizer::Location;

use super::values;
use crate::error::{Error, Result};
use crate::plan::catalog::Prepared;
use crate::plan::sql::WalkMut;

/// Values for the parameters of a statement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parameters(Given);

#[derive(Debug, Clone, Default, PartialEq)]
enum Given {
    #[default]
    Nothing,
    Positions(Vec<ScalarValue>),
    Names(BTreeMap<String, ScalarValue>),
}

impl Parameters {
    /// Returns no values, for statements without parameters.
    pub fn none() -> Self {
        Self::default()
    }

    /// Returns values for `$1`, `$2` and so on, or for each `?` in the order of the text.
    pub fn by_position(values: impl IntoIterator<Item = ScalarValue>) -> Self {
        Self(Given::Positions(values.into_iter().collect()))
    }

    /// Returns values for `$name`; names are without the `$`.
    pub fn by_name<N: Into<String>>(values: impl IntoIterator<Item = (N, ScalarValue)>) -> Self {
        Self(Given::Names(values.into_iter().map(|(name, value)| (name.into(), value)).collect()))
    }

    /// Returns the values, in the order of their positions or names.
    pub(super) fn values(&self) -> Vec<&ScalarValue> {
        match &self.0 {
            Given::Nothing => Vec::new(),
            Given::Positions(values) => values.iter().collect(),
            Given::Names(values) => values.values().collect(),
        }
    }

    /// Puts the values in place of the parameters of a statement.
    ///
    /// # Errors
    /// A parameter has no value, or a value no parameter.
    pub(in crate::plan::statement) fn bind(&self, statement: &mut Statement) -> Result<()> {
        // its parameters get their values from EXECUTE
        if is_prepare(statement) {
            return match self.0 {
                Given::Nothing => Ok(()),
                _ => Err(Error::Query("PREPARE takes no values: give them to EXECUTE".to_owned())),
            };
        }
        self.bind_typed(statement, &[])
    }

    /// Returns a prepared statement with the values.
    ///
    /// # Errors
    /// As [`Parameters::bind`].
    pub(in crate::plan::statement) fn bound(&self, prepared: &Prepared) -> Result<Statement> {
        let mut statement = prepared.statement.clone();
        self.bind_typed(&mut statement, &prepared.types)?;
        Ok(statement)
    }

    /// As [`Parameters::bind`], with casts of the first values to types.
    fn bind_typed(&self, statement: &mut Statement, types: &[SqlType]) -> Result<()> {
        let found = Found::of(statement)?;
        self.check(&found)?;
        let mut bind = Bind { found: &found, parameters: self, types };
        match visit(statement, &mut bind) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(error) => Err(error),
        }
    }

    fn value(&self, name: &str) -> Option<&ScalarValue> {
        match &self.0 {
            Given::Nothing => None,
            Given::Positions(values) => {
                let position = name.parse::<usize>().ok()?.checked_sub(1)?;
                values.get(position)
            }
            Given::Names(values) => values.get(name),
        }
    }

    fn check(&self, found: &Found) -> Result<()> {
        let names = found.names();
        if let Some(missing) = names.iter().find(|name| self.value(name).is_none()) {
            let instead = match missing.parse::<usize>() {
                Ok(count) => {
                    format!("give {count} or more values: EXECUTE name(1, 2) in SQL, [1, 2] in Python")
                }
                Err(_) => format!(
                    "give one by name: EXECUTE name({missing} := 1) in SQL, {{\"{missing}\": 1}} in Python"
                ),
            };
            return Err(Error::Query(format!("the parameter ${missing} has no value: {instead}")));
        }
        let surplus = match &self.0 {
            Given::Nothing => None,
            Given::Positions(values) => {
                let last = names.iter().filter_map(|name| name.parse::<usize>().ok()).max().unwrap_or(0);
                (values.len() > last)
                    .then(|| format!("there are {} values for {last} parameters", values.len()))
            }
            Given::Names(values) => {
                let unknown = values.keys().find(|name| !names.contains(*name));
                unknown.map(|name| format!("there is a value for ${name}, and no such parameter"))
            }
        };
        match surplus {
            Some(what) => {
                Err(Error::Query(format!("{what}: give a value for each parameter of the statement")))
            }
            None => Ok(()),
        }
    }
}

fn is_prepare(statement: &Statement) -> bool {
    matches!(statement, Statement::Statement(statement) if matches!(**statement, SqlStatement::Prepare { .. }))
}

/// Returns the names of a statement's parameters, as [`super::Prepared::parameters`].
pub(super) fn names(statement: &Statement) -> Vec<String> {
    let found = Found::of(&mut statement.clone()).map(|found| found.names()).unwrap_or_default();
    let mut names: Vec<String> = found.into_iter().collect();
    names.sort_by_key(|name| (name.parse::<usize>().unwrap_or(usize::MAX), name.clone()));
    names
}

/// The parameters of a statement.
struct Found {
    /// Those by name or number.
    named: BTreeSet<String>,
    /// Places of `?`, in the order of the text.
    marks: Vec<Location>,
}

impl Found {
    /// Finds them.
    ///
    /// # Errors
    /// Both `?` and `$` are used.
    fn of(statement: &mut Statement) -> Result<Self> {
        let mut found = Self { named: BTreeSet::new(), marks: Vec::new() };
        let ControlFlow::Continue(()) = visit(statement, &mut found);
        found.marks.sort_unstable();
        match found.marks.is_empty() || found.named.is_empty() {
            true => Ok(found),
            false => {
                Err(Error::Query("parameters are written as ? and as $: write all in one way".to_owned()))
            }
        }
    }

    /// Returns the name of a parameter, without its mark.
    fn name(&self, parameter: &str, place: Location) -> String {
        match parameter {
            "?" => self.marks.binary_search(&place).map_or(0, |index| index + 1).to_string(),
            // of one byte
            named => named[1..].to_owned(),
        }
    }

    fn names(&self) -> BTreeSet<String> {
        let numbers = (1..=self.marks.len()).map(|number| number.to_string());
        self.named.iter().cloned().chain(numbers).collect()
    }
}

impl VisitorMut for Found {
    type Break = std::convert::Infallible;

    fn pre_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<Self::Break> {
        match placeholder(value) {
            Some("?") => self.marks.push(value.span.start),
            Some(named) => drop(self.named.insert(named[1..].to_owned())),
            None => {}
        }
        ControlFlow::Continue(())
    }
}

/// Returns whether an expression is a parameter.
pub(super) fn is_parameter(expression: &Expr) -> bool {
    matches!(expression, Expr::Value(value) if placeholder(value).is_some())
}

/// Returns the text of a parameter, which begins with its mark.
fn placeholder(value: &ValueWithSpan) -> Option<&str> {
    match &value.value {
        Value::Placeholder(text) if text.starts_with(['$', '?', ':']) => Some(text),
        _ => None,
    }
}

/// Returns a cast of an expression to a type.
pub(super) fn cast(expr: Expr, data_type: SqlType) -> Expr {
    Expr::Cast { kind: CastKind::Cast, expr: Box::new(expr), data_type, array: false, format: None }
}

struct Bind<'a> {
    found: &'a Found,
    parameters: &'a Parameters,
    types: &'a [SqlType],
}

impl Bind<'_> {
    fn literal(&self, name: &str) -> Result<Expr> {
        let value = self.parameters.value(name).unwrap_or(&ScalarValue::Null);
        let literal = values::literal(name, value)?;
        let position = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        Ok(match position.and_then(|position| self.types.get(position)) {
            Some(data_type) => cast(literal, data_type.clone()),
            None => literal,
        })
    }
}

impl VisitorMut for Bind<'_> {
    type Break = Error;

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Self::Break> {
        if let Expr::Value(value) = expr
            && let Some(text) = placeholder(value)
        {
            let name = self.found.name(text, value.span.start);
            match self.literal(&name) {
                Ok(literal) => *expr = literal,
                Err(error) => return ControlFlow::Break(error),
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<Self::Break> {
        match placeholder(value) {
            Some(text) => ControlFlow::Break(Error::Query(format!(
                "the parameter {text} stands where only a constant can: write the value itself"
            ))),
            None => ControlFlow::Continue(()),
        }
    }
}

/// Visits the parts of a statement that can have parameters.
fn visit<V: VisitorMut>(statement: &mut Statement, visitor: &mut V) -> ControlFlow<V::Break> {
    match statement {
        Statement::Statement(statement) => statement.walk_mut(visitor),
        Statement::Explain(explain) => visit(&mut explain.statement, visitor),
        Statement::CopyTo(copy) => match &mut copy.source {
            CopyToSource::Query(query) => query.walk_mut(visitor),
            CopyToSource::Relation(_) => ControlFlow::Continue(()),
        },
        Statement::CreateExternalTable(_) | Statement::Reset(_) => ControlFlow::Continue(()),
    }
}
