//! PREPARE, EXECUTE and DEALLOCATE.

mod parameters;
mod values;

use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, DataType as SqlType, Expr, SelectItem, SetExpr, Statement as SqlStatement,
};
use futures::TryStreamExt;

use super::{RowsExec, parsed, tables};
use crate::error::{Error, Result};
use crate::plan::executable::Plan;
use crate::plan::session::Session;
use crate::plan::sql;
pub use parameters::Parameters;

/// A statement that was parsed, for values of its parameters.
#[derive(Debug, Clone)]
pub struct Prepared {
    sql: Arc<str>,
    statement: Statement,
    /// Types of the first parameters, as PREPARE gives them.
    types: Vec<SqlType>,
}

impl Prepared {
    /// Returns the names of the parameters, without the `$`: numbers from 1 on for those by
    /// position.
    pub fn parameters(&self) -> Vec<String> {
        parameters::names(&self.statement)
    }
}

impl Session {
    /// Parses a statement that is to be planned with values of its parameters.
    ///
    /// # Errors
    /// It does not parse.
    pub fn prepare(&self, sql: &str) -> Result<Prepared> {
        crate::plan::recursion_limit::check(sql)?;
        let statement = sql::parse(&self.context.state(), sql)?;
        Ok(Prepared { sql: sql.into(), statement, types: Vec::new() })
    }

    /// Plans a prepared statement with values of its parameters.
    ///
    /// # Errors
    /// It names a missing object, is not supported, or a parameter has no value.
    pub async fn execute(&self, prepared: &Prepared, parameters: &Parameters) -> Result<Plan> {
        self.catalog.at_one_time(bound(self, prepared, parameters)).await
    }
}

async fn bound(session: &Session, prepared: &Prepared, parameters: &Parameters) -> Result<Plan> {
    let mut statement = prepared.statement.clone();
    parameters.bind_typed(&mut statement, &prepared.types)?;
    parsed(session, &prepared.sql, statement).await
}

/// Plans one of the three statements.
///
/// # Errors
/// A prepared statement is missing, or the values do not fit.
pub(super) async fn plan(session: &Session, sql: &str, statement: SqlStatement) -> Result<Plan> {
    match statement {
        SqlStatement::Prepare { name, data_types, statement } => {
            let name = tables::column(name);
            let statement = Statement::Statement(statement);
            let prepared = Arc::new(Prepared { sql: sql.into(), statement, types: data_types });
            let catalog = session.catalog.clone();
            Ok(Arc::new(RowsExec::effect(&format!("PREPARE {name}"), move || {
                catalog.prepare(&name, prepared.clone());
                Ok(())
            })))
        }
        SqlStatement::Execute { name: Some(name), parameters, using, .. } => {
            let prepared = session.catalog.prepared(&tables::name(&name)?)?;
            let given = parameters.into_iter().chain(using.into_iter().map(|given| given.expr));
            let parameters = values_of(session, sql, given).await?;
            bound(session, &prepared, &parameters).await
        }
        SqlStatement::Deallocate { name, .. } => {
            let all = name.quote_style.is_none() && name.value.eq_ignore_ascii_case("all");
            let name = (!all).then(|| tables::column(name));
            let catalog = session.catalog.clone();
            let label = format!("DEALLOCATE {}", name.as_deref().unwrap_or("ALL"));
            Ok(Arc::new(RowsExec::effect(&label, move || match catalog.deallocate(name.as_deref()) {
                true => Ok(()),
                false => {
                    let name = name.as_deref().unwrap_or_default();
                    Err(Error::Query(format!("there is no prepared statement {name}")))
                }
            })))
        }
        _ => Err(Error::Query("EXECUTE needs the name of a prepared statement".to_owned())),
    }
}

/// Computes the values that EXECUTE gives, by position or by name: `EXECUTE s(1, x := 2)`.
async fn values_of(session: &Session, sql: &str, given: impl Iterator<Item = Expr>) -> Result<Parameters> {
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
