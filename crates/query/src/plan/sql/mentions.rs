//! Columns of tables that a statement mentions. The other columns are left out of its plan from the
//! start.
//!
//! Every operator of a logical plan has a schema, and most rules rewrite it. A join of wide tables
//! has hundreds of columns, until a late rule drops those without use. Here a table has only the
//! columns whose names are anywhere in the statement. A name has the same meaning in both plans,
//! since tables keep all columns of that name. A table keeps all of its columns where they are
//! meant without their names, as by `*`, NATURAL and the aliases of columns.

use std::collections::HashSet;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::ptr;
use std::sync::Arc;

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionState;
use datafusion::logical_expr::logical_plan::TableScanBuilder;
use datafusion::logical_expr::{LogicalPlan, SubqueryAlias, TableScan};
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, JoinConstraint, Query, Select,
    SelectItem, SetExpr, Statement as SqlStatement, TableFactor, TableWithJoins, Visitor,
};

use super::syntax::{constraint, sql_statement};
use super::walk::Walk;

tokio::task_local! {
    /// The mentions of the statement that is being planned; `None`: its tables are whole.
    static MENTIONS: Option<Mentions>;
}

/// Runs the planning of a statement, which may be a view's inside of another statement. Only
/// [`planned`] leaves columns out.
pub(super) async fn apart<F: Future>(planning: F) -> F::Output {
    MENTIONS.scope(None, planning).await
}

/// Plans a statement that DataFusion knows all forms of.
///
/// # Errors
/// The statement names a missing object, or can't be planned. The error knows all columns.
pub(super) async fn planned(state: &SessionState, statement: &mut Statement) -> Result<LogicalPlan> {
    let mentions = match sql_statement(statement) {
        Some(SqlStatement::Query(query)) => Mentions::of(query),
        _ => None,
    };
    let is_narrow = mentions.is_some();
    let planned = MENTIONS.scope(mentions, state.statement_to_plan(statement.clone())).await;
    match planned {
        Err(error) if is_narrow && is_of_columns(&error) => state.statement_to_plan(statement.clone()).await,
        planned => planned,
    }
}

/// Returns whether an error may name the columns of the statement. One of a view below it does not,
/// and is not looked for again, since views nest.
fn is_of_columns(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::SchemaError(..) | DataFusionError::Plan(_))
}

/// Returns the plan of a table with the columns that the statement mentions. `name` is the one that
/// FROM has.
///
/// # Errors
/// The table has other columns than its schema: a fault of the table.
pub(in crate::plan) fn mentioned(plan: LogicalPlan, name: &str) -> Result<LogicalPlan> {
    let name = name.to_lowercase();
    let known = MENTIONS.try_with(|mentions| {
        let mentions = mentions.as_ref().filter(|mentions| !mentions.whole.contains(&name))?;
        Some(mentions.columns.clone())
    });
    match known {
        Ok(Some(columns)) => narrow(plan, &columns),
        _ => Ok(plan),
    }
}

fn narrow(plan: LogicalPlan, columns: &HashSet<String>) -> Result<LogicalPlan> {
    match plan {
        LogicalPlan::TableScan(scan) if scan.projection.is_none() && scan.filters.is_empty() => {
            let fields = scan.source.schema();
            let fields = fields.fields().iter();
            let is_mentioned = fields.map(|field| columns.contains(&field.name().to_lowercase()));
            let is_mentioned: Vec<bool> = is_mentioned.collect();
            if is_mentioned.iter().all(|is| *is) {
                return Ok(LogicalPlan::TableScan(scan));
            }
            let mut kept: Vec<usize> = (0..is_mentioned.len()).filter(|at| is_mentioned[*at]).collect();
            if kept.is_empty() {
                // rows are counted by a column
                kept.push(0);
            }
            let TableScan { table_name, source, fetch, .. } = scan;
            let scan =
                TableScanBuilder::new(table_name, source).with_projection(Some(kept)).with_fetch(fetch);
            scan.build().map(LogicalPlan::TableScan)
        }
        LogicalPlan::SubqueryAlias(SubqueryAlias { input, alias, .. }) => {
            let input = narrow(Arc::unwrap_or_clone(input), columns)?;
            SubqueryAlias::try_new(Arc::new(input), alias).map(LogicalPlan::SubqueryAlias)
        }
        other => Ok(other),
    }
}

/// Names of a statement, in lower case.
struct Mentions {
    /// All names that may be those of columns.
    columns: Arc<HashSet<String>>,
    /// Tables with all of their columns.
    whole: HashSet<String>,
}

impl Mentions {
    /// Returns the mentions of a query; `None` if a part may mean any column without its name.
    fn of(query: &Query) -> Option<Self> {
        let mut find = Find::default();
        let ControlFlow::Continue(()) = query.walk(&mut find);
        (!find.has_unknown).then(|| Self { columns: Arc::new(find.columns), whole: find.whole })
    }
}

/// Collects the mentions of a query.
#[derive(Default)]
struct Find {
    columns: HashSet<String>,
    whole: HashSet<String>,
    /// True if a part of the query may mean columns without their names.
    has_unknown: bool,
    /// SELECTs whose columns have no effect: those below EXISTS, of which no rows are merged.
    without_columns: HashSet<*const Select>,
}

impl Find {
    fn mention(&mut self, name: &str) {
        self.columns.insert(name.to_lowercase());
    }

    fn body(&mut self, body: &SetExpr) {
        match body {
            // their own hooks follow
            SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::Values(_) => {}
            SetExpr::SetOperation { left, right, .. } => {
                self.body(left);
                self.body(right);
            }
            _ => self.has_unknown = true,
        }
    }

    /// Takes the columns of joins that are named by USING, and looks for NATURAL.
    fn joins(&mut self, tables: &TableWithJoins) {
        for join in &tables.joins {
            match constraint(&join.join_operator) {
                Some(JoinConstraint::Using(names)) => {
                    let parts = names.iter().flat_map(|name| &name.0);
                    parts.for_each(|part| self.mention(part.as_ident().map_or("", |ident| &ident.value)));
                }
                Some(JoinConstraint::On(_) | JoinConstraint::None) => {}
                // conditions of ASOF joins are expressions
                None if join.global => {}
                Some(JoinConstraint::Natural) | None => self.has_unknown = true,
            }
        }
    }

    /// Marks the tables of FROM that are shown with all of their columns.
    fn keep_whole(&mut self, tables: &TableWithJoins) {
        let relations =
            std::iter::once(&tables.relation).chain(tables.joins.iter().map(|join| &join.relation));
        for relation in relations {
            match relation {
                TableFactor::Table { name, .. } => {
                    self.whole.insert(name.to_string().to_lowercase());
                }
                TableFactor::NestedJoin { table_with_joins, .. } => self.keep_whole(table_with_joins),
                _ => {}
            }
        }
    }
}

impl Visitor for Find {
    type Break = Infallible;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Infallible> {
        self.body(&query.body);
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Infallible> {
        let is_star =
            |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
        let has_star = select.projection.is_empty() || select.projection.iter().any(is_star);
        let has_effect = !self.without_columns.contains(&ptr::from_ref(select));
        for tables in &select.from {
            self.joins(tables);
            if has_star && has_effect {
                self.keep_whole(tables);
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, relation: &TableFactor) -> ControlFlow<Infallible> {
        match relation {
            TableFactor::Table { name, alias, sample, .. } => {
                // names by position, and samples that are told by all values of a row
                if sample.is_some() || alias.as_ref().is_some_and(|alias| !alias.columns.is_empty()) {
                    self.whole.insert(name.to_string().to_lowercase());
                }
            }
            TableFactor::NestedJoin { table_with_joins, .. } => self.joins(table_with_joins),
            TableFactor::Derived { .. } | TableFactor::UNNEST { .. } | TableFactor::Function { .. } => {}
            _ => self.has_unknown = true,
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Infallible> {
        match expr {
            Expr::Identifier(name) => self.mention(&name.value),
            Expr::CompoundIdentifier(parts) => parts.iter().for_each(|part| self.mention(&part.value)),
            Expr::Wildcard(_) | Expr::QualifiedWildcard(..) => self.has_unknown = true,
            Expr::Exists { subquery, .. } => {
                if let SetExpr::Select(select) = subquery.body.as_ref()
                    && select.distinct.is_none()
                    && !matches!(select.group_by, GroupByExpr::All(_))
                {
                    self.without_columns.insert(ptr::from_ref(select.as_ref()));
                }
            }
            Expr::Function(function) => {
                let FunctionArguments::List(list) = &function.args else { return ControlFlow::Continue(()) };
                let is_count = function.name.to_string().eq_ignore_ascii_case("count");
                for argument in &list.args {
                    let (FunctionArg::Unnamed(value)
                    | FunctionArg::Named { arg: value, .. }
                    | FunctionArg::ExprNamed { arg: value, .. }) = argument;
                    self.has_unknown |= match value {
                        FunctionArgExpr::Expr(_) => false,
                        FunctionArgExpr::Wildcard => !is_count,
                        _ => true,
                    };
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests;
