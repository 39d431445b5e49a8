//! Views, and their plans.

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::TableReference;
use datafusion::datasource::{ViewTable, provider_as_source};
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, TableScan};
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{Query, SetExpr, Statement as SqlStatement, TableFactor};
use parking_lot::Mutex;

use super::columns::numbered;
use crate::error::{Error, wrap};
use crate::plan::sql::{self, is_file_function};
use crate::plan::statement::shown;

/// A query with a name. It is planned whenever it is read.
pub(in crate::plan) struct View {
    /// Text of the statement that created the view.
    sql: Arc<str>,
    query: Box<Query>,
    /// Names of the first columns, in place of the query's own.
    columns: Vec<String>,
    /// Present after a planning that found the view to be all columns of one table.
    whole_table: Mutex<Option<WholeTable>>,
}

/// A table that a view shows as it is.
#[derive(Clone)]
struct WholeTable {
    name: TableReference,
    alias: Option<TableReference>,
    /// The table's columns when the view was planned. With others it is planned anew.
    schema: SchemaRef,
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl View {
    /// Returns the view that a statement creates. `columns` are the names of its first columns.
    pub fn new(sql: &str, query: Box<Query>, columns: Vec<String>) -> Self {
        Self { sql: sql.into(), query, columns, whole_table: Mutex::default() }
    }

    /// Plans the query as a table.
    ///
    /// # Errors
    /// The query can't be planned, or its columns do not fit the view.
    pub async fn table(&self, state: &SessionState, name: &str) -> DataFusionResult<Arc<dyn TableProvider>> {
        let known = self.whole_table.lock().clone();
        let read = match known {
            Some(known) => known.read(state).await.map_err(|error| in_view(name, error))?,
            None => None,
        };
        let plan = match read {
            Some(plan) => plan,
            None => self.plan(state, name).await?,
        };
        Ok(Arc::new(ViewTable::new(plan, Some(shown(&self.sql)))))
    }

    async fn plan(&self, state: &SessionState, name: &str) -> DataFusionResult<LogicalPlan> {
        let statement = Statement::Statement(Box::new(SqlStatement::Query(self.query.clone())));
        let planned = sql::plan(state, &self.sql, statement).await;
        let plan = planned.map_err(|error| in_view(name, error))?;
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
        if found.iter().zip(&names).all(|(column, name)| column.name() == name) {
            // the view's name qualifies its columns in any case
            let plan = without_idle_projection(plan);
            if let Some(has_alias) = one_table(&self.query) {
                *self.whole_table.lock() = WholeTable::of(&plan, has_alias);
            }
            return Ok(plan);
        }
        let columns = found.into_iter().zip(names);
        let columns: Vec<Expr> = columns.map(|(column, name)| Expr::Column(column).alias(name)).collect();
        LogicalPlanBuilder::from(plan).project(columns)?.build()
    }
}

impl WholeTable {
    /// Returns the table that a plan is a scan of, if nothing else is in the plan. An alias that a
    /// query does not have is the name of another view, which may be replaced.
    fn of(plan: &LogicalPlan, has_alias: bool) -> Option<Self> {
        let (scan, alias) = match plan {
            LogicalPlan::SubqueryAlias(alias) if has_alias => {
                (alias.input.as_ref(), Some(alias.alias.clone()))
            }
            scan => (scan, None),
        };
        let LogicalPlan::TableScan(TableScan {
            table_name: name, source, projection, filters, fetch, ..
        }) = scan
        else {
            return None;
        };
        let is_whole = projection.is_none() && filters.is_empty() && fetch.is_none();
        let is_of_catalog = matches!(name, TableReference::Bare { .. });
        (is_whole && is_of_catalog).then(|| Self { name: name.clone(), alias, schema: source.schema() })
    }

    /// Returns a plan that reads the table as it is now; `None` if it has other columns than then.
    async fn read(&self, state: &SessionState) -> DataFusionResult<Option<LogicalPlan>> {
        let table = state.schema_for_ref(self.name.clone())?.table(self.name.table()).await?;
        let Some(table) = table.filter(|table| table.schema() == self.schema) else { return Ok(None) };
        let scan = LogicalPlanBuilder::scan(self.name.clone(), provider_as_source(table), None)?;
        match &self.alias {
            Some(alias) => scan.alias(alias.clone())?.build().map(Some),
            None => scan.build().map(Some),
        }
    }
}

/// Returns whether the table of a query has an alias; `None` unless the query reads one table or
/// file by its name, or by a function over files.
fn one_table(query: &Query) -> Option<bool> {
    let SetExpr::Select(select) = query.body.as_ref() else { return None };
    let [table] = select.from.as_slice() else { return None };
    let has_alias = match &table.relation {
        TableFactor::Table { alias, args: None, .. } => alias.is_some(),
        TableFactor::Table { name, alias, args: Some(_), .. } if is_file_function(name) => alias.is_some(),
        _ => return None,
    };
    (query.with.is_none() && table.joins.is_empty()).then_some(has_alias)
}

/// Returns the error of a view's query.
fn in_view(name: &str, error: DataFusionError) -> DataFusionError {
    match Error::from(error) {
        Error::Query(what) => wrap(Error::Query(format!("in the view {name}: {what}"))),
        other => wrap(other),
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
