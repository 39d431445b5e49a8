//! Views, and their plans.

use std::fmt;
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::datasource::ViewTable;
use datafusion::error::Result as DataFusionResult;
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{Query, Statement as SqlStatement};

use super::columns::numbered;
use crate::error::{Error, wrap};
use crate::plan::sql;
use crate::plan::statement::shown;

/// A query with a name. It is planned whenever it is read.
pub(in crate::plan) struct View {
    /// Text of the statement that created the view.
    sql: Arc<str>,
    query: Box<Query>,
    /// Names of the first columns, in place of the query's own.
    columns: Vec<String>,
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl View {
    /// Returns the view that a statement creates. `columns` are the names of its first columns.
    pub fn new(sql: &str, query: Box<Query>, columns: Vec<String>) -> Self {
        Self { sql: sql.into(), query, columns }
    }

    /// Plans the query as a table.
    ///
    /// # Errors
    /// The query can't be planned, or its columns do not fit the view.
    pub async fn table(&self, state: &SessionState, name: &str) -> DataFusionResult<Arc<dyn TableProvider>> {
        let statement = Statement::Statement(Box::new(SqlStatement::Query(self.query.clone())));
        let planned = sql::plan(state, &self.sql, statement).await;
        let plan = planned.map_err(|error| match Error::from(error) {
            Error::Query(what) => wrap(Error::Query(format!("in the view {name}: {what}"))),
            other => wrap(other),
        })?;
        let found = plan.schema().columns();
        if self.columns.len() > found.len() {
            return Err(wrap(Error::Query(format!(
                "the view {name} names {} columns, and its query has {}",
                self.columns.len(),
                found.len()
            ))));
        }
        let own = found.iter().skip(self.columns.len()).map(|column| column.name().to_owned());
        let names = numbered(self.columns.iter().cloned().chain(own));
        let plan = match found.iter().zip(&names).all(|(column, name)| column.name() == name) {
            // the view's name qualifies its columns in any case
            true => without_idle_projection(plan),
            false => {
                let columns = found.into_iter().zip(names);
                let columns: Vec<Expr> =
                    columns.map(|(column, name)| Expr::Column(column).alias(name)).collect();
                LogicalPlanBuilder::from(plan).project(columns)?.build()?
            }
        };
        Ok(Arc::new(ViewTable::new(plan, Some(shown(&self.sql)))))
    }
}

/// Returns the input of a projection to all of its columns, as `SELECT *` has one. The rules of the
/// optimizer would rewrite each column of a wide table many times before they drop the projection.
fn without_idle_projection(plan: LogicalPlan) -> LogicalPlan {
    let LogicalPlan::Projection(projection) = plan else { return plan };
    let columns = projection.input.schema().columns();
    let is_idle = columns.len() == projection.expr.len()
        && columns
            .iter()
            .zip(&projection.expr)
            .all(|(own, expr)| matches!(expr, Expr::Column(c) if c == own));
    match is_idle {
        true => Arc::unwrap_or_clone(projection.input),
        false => LogicalPlan::Projection(projection),
    }
}
