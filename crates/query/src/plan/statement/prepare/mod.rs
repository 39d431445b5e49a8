//! PREPARE, EXECUTE and DEALLOCATE.

pub(super) mod in_tokens;
mod parameters;
mod together;
mod values;

use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, DataType as SqlType, Expr, ExprWithAlias, ObjectName, SelectItem, SetExpr,
    Statement as SqlStatement,
};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};
use futures::TryStreamExt;

use super::tokens::{closing, keyword, offset};
use super::{copy, parsed, set, tables, unsupported};
use crate::error::{Error, Result};
use crate::plan::catalog::Prepared;
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;
use crate::plan::session::Session;
use crate::plan::sql;
pub use parameters::Parameters;

impl Prepared {
    /// Returns the names of the parameters, without the `$`: numbers from 1 on for those by
    /// position.
    pub fn parameters(&self) -> Vec<String> {
        parameters::names(&self.statement)
    }
}

/// Returns the number of tokens in front of the statement of `PREPARE name (types) AS COPY`, if it
/// is one that is read from its tokens.
pub(super) fn read_from_tokens(tokens: &[TokenWithSpan]) -> Option<usize> {
    let types = match tokens.get(2)?.token {
        Token::LParen => closing(&tokens[2..])? + 1,
        _ => 0,
    };
    let words = [keyword(tokens.get(2 + types)), keyword(tokens.get(3 + types))];
    let is_meant = matches!(
        words.each_ref().map(|word| word.as_deref()),
        [Some("AS"), Some("COPY" | "SET" | "RESET" | "PRAGMA")]
    );
    is_meant.then_some(3 + types)
}

/// Plans PREPARE of a statement that is read from its tokens, which begin behind `before` others.
///
/// # Errors
/// The statement does not parse, or an option is wrong.
pub(super) fn plan_tokens(
    session: &Session,
    sql: &str,
    tokens: &[TokenWithSpan],
    before: usize,
    parameters: &Parameters,
) -> Result<Plan> {
    // the parser reads the name and the types
    let any = format!("{} SELECT 1", &sql[..offset(sql, &tokens[before])]);
    let mut any = sql::parse(&session.context.state(), &any)?;
    parameters.bind(&mut any)?;
    match any {
        Statement::Statement(any) => match *any {
            SqlStatement::Prepare { name, data_types, .. } => {
                let prepared = of_tokens(session, sql, &tokens[before..], data_types)?;
                Ok(keep(session, tables::column(name), prepared))
            }
            other => Err(unsupported::error(&other)),
        },
        other => Err(unsupported::extension(&other)),
    }
}

/// Returns a COPY or SET that is to be planned with values of its parameters, given its tokens and
/// the types of the first parameters.
///
/// # Errors
/// The statement does not parse, or an option is wrong.
pub(super) fn of_tokens(
    session: &Session,
    sql: &str,
    tokens: &[TokenWithSpan],
    types: Vec<SqlType>,
) -> Result<Prepared> {
    match keyword(tokens.first()).as_deref() {
        Some("COPY") => copy::prepared(session, sql, tokens, types),
        _ => {
            let query = in_tokens::query(session, tokens)?;
            Ok(Prepared::new(sql, query, types).with_setting(tokens))
        }
    }
}

/// Returns the plan that keeps a prepared statement under a name.
fn keep(session: &Session, name: String, prepared: Prepared) -> Plan {
    let (catalog, prepared) = (session.catalog.clone(), Arc::new(prepared));
    Arc::new(RowsExec::effect(&format!("PREPARE {name}"), move || {
        catalog.prepare(&name, prepared.clone());
        Ok(())
    }))
}

/// Plans a prepared statement, in which parameters have values.
///
/// # Errors
/// It names a missing object, or is not supported.
pub(super) async fn plan_bound(session: &Session, prepared: &Prepared, statement: Statement) -> Result<Plan> {
    match (&prepared.copy, &prepared.setting) {
        (Some(copy), _) => copy::bound(session, copy, statement).await,
        (None, Some(tokens)) => set::plan(session, &in_tokens::with_values(tokens, statement)?),
        (None, None) => parsed(session, prepared.sql(), statement).await,
    }
}

/// Plans PREPARE and DEALLOCATE.
///
/// # Errors
/// The statement is another one.
pub(super) fn plan(session: &Session, sql: &str, statement: SqlStatement) -> Result<Plan> {
    match statement {
        SqlStatement::Prepare { name, data_types, statement } => {
            let prepared = Prepared::new(sql, Statement::Statement(statement), data_types);
            Ok(keep(session, tables::column(name), prepared))
        }
        SqlStatement::Deallocate { name, .. } => {
            let all = name.quote_style.is_none() && name.value.eq_ignore_ascii_case("all");
            let name = (!all).then(|| tables::column(name));
            let label = format!("DEALLOCATE {}", name.as_deref().unwrap_or("ALL"));
            let catalog = session.catalog.clone();
            Ok(Arc::new(RowsExec::effect(&label, move || catalog.deallocate(name.as_deref()))))
        }
        other => Err(unsupported::error(&other)),
    }
}

/// Returns the statement of EXECUTE, with the values that it gives.
///
/// # Errors
/// The prepared statement is missing, or the values do not fit.
pub(super) async fn bound(
    session: &Session,
    sql: &str,
    name: &ObjectName,
    values: Vec<Expr>,
    using: Vec<ExprWithAlias>,
) -> Result<(Arc<Prepared>, Statement)> {
    let prepared = session.catalog.prepared(&tables::name(name)?)?;
    let given = values.into_iter().chain(using.into_iter().map(|given| given.expr));
    let parameters = values_of(session, sql, given, &prepared.types).await?;
    let statement = parameters.bound(&prepared)?;
    Ok((prepared, statement))
}

/// Computes the values that EXECUTE gives, by position or by name: `EXECUTE s(1, x := 2)`. The
/// first by position have some types.
async fn values_of(
    session: &Session,
    sql: &str,
    given: impl Iterator<Item = Expr>,
    types: &[SqlType],
) -> Result<Parameters> {
    let mut names = Vec::new();
    let mut expressions = Vec::new();
    for expression in given {
        match expression {
            Expr::BinaryOp { left, op: BinaryOperator::Assignment, right } => match *left {
                Expr::Identifier(name) => {
                    names.push(tables::column(name));
                    expressions.push(*right);
                }
                other => return Err(Error::Query(format!("{other} := ... is no parameter: write its name"))),
            },
            other => expressions.push(other),
        }
    }
    if !names.is_empty() && names.len() < expressions.len() {
        return Err(Error::Query(
            "EXECUTE has values by position and by name: write all in one way".to_owned(),
        ));
    }
    if names.is_empty() {
        for (expression, data_type) in expressions.iter_mut().zip(types) {
            *expression = parameters::cast(expression.clone(), data_type.clone());
        }
    }
    let values = computed(session, sql, expressions).await?;
    Ok(match names.is_empty() {
        true => Parameters::by_position(values),
        false => Parameters::by_name(names.into_iter().zip(values)),
    })
}

/// Computes expressions without a table.
async fn computed(session: &Session, sql: &str, expressions: Vec<Expr>) -> Result<Vec<ScalarValue>> {
    if expressions.is_empty() {
        return Ok(Vec::new());
    }
    let mut statement = sql::parse(&session.context.state(), "SELECT 1")?;
    let Some(projection) = projection(&mut statement) else {
        return Err(Error::Internal("a SELECT without columns".to_owned()));
    };
    let titled = |(at, expression)| SelectItem::ExprWithAlias {
        expr: expression,
        alias: format!("value {at}").as_str().into(),
    };
    *projection = expressions.into_iter().enumerate().map(titled).collect();
    let logical = sql::plan(&session.context.state(), sql, statement).await?;
    let plan = session.plan(&logical).await?;
    let rows: Vec<RecordBatch> = session.run(plan)?.try_collect().await?;
    let row = rows.iter().find(|batch| batch.num_rows() > 0);
    let row = row.ok_or_else(|| Error::Internal("values without a row".to_owned()))?;
    let values = row.columns().iter().map(|column| ScalarValue::try_from_array(column, 0));
    Ok(values.collect::<Result<_, _>>()?)
}

fn projection(statement: &mut Statement) -> Option<&mut Vec<SelectItem>> {
    let Statement::Statement(statement) = statement else { return None };
    let SqlStatement::Query(query) = statement.as_mut() else { return None };
    let SetExpr::Select(select) = query.body.as_mut() else { return None };
    Some(&mut select.projection)
}
