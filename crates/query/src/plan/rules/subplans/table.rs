//! Table of the rows of a common subplan.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use arrow::datatypes::{Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::{Column, Result, Statistics, internal_datafusion_err};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::logical_plan::{Projection, TableScan};
use datafusion::logical_expr::{Expr, LogicalPlan, TableProviderFilterPushDown, TableType};
use datafusion::physical_expr::expressions;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};

use super::cost;
use crate::plan::shared::{SharedExec, SharedPlan};

/// A part that a plan mentions more than once.
#[derive(Debug)]
pub(super) struct CommonSubplan {
    /// Number in its plan: above those of the subplans that it mentions.
    pub id: usize,
    /// The part, analysed and not optimised.
    pub definition: LogicalPlan,
    schema: SchemaRef,
    statistics: OnceLock<Statistics>,
}

impl CommonSubplan {
    pub fn new(id: usize, definition: LogicalPlan) -> Self {
        let mut fields: Vec<Field> = Vec::new();
        for field in definition.schema().fields() {
            let mut name = field.name().clone();
            while fields.iter().any(|other| *other.name() == name) {
                name = format!("{name}:{}", fields.len());
            }
            fields.push(field.as_ref().clone().with_name(name));
        }
        let schema = Arc::new(Schema::new_with_metadata(fields, definition.schema().metadata().clone()));
        Self { id, definition, schema, statistics: OnceLock::new() }
    }

    /// Returns the columns, each with a name of its own.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns a column of the definition.
    pub fn column(&self, index: usize) -> Expr {
        Expr::Column(Column::from(self.definition.schema().qualified_field(index)))
    }

    /// Returns a plan of the definition's columns under their names in the table.
    pub fn named(
        &self,
        definition: LogicalPlan,
        columns: &[usize],
        table: Option<&TableScan>,
    ) -> Result<LogicalPlan> {
        let columns = columns.iter().map(|&index| {
            let name = self.schema.field(index).name();
            match table {
                Some(table) => self.column(index).alias_qualified(Some(table.table_name.clone()), name),
                None => self.column(index).alias(name),
            }
        });
        let projection = Projection::try_new(columns.collect(), Arc::new(definition))?;
        Ok(LogicalPlan::Projection(projection))
    }
}

/// DataFusion's table provider over the rows of a common subplan.
#[derive(Debug)]
pub(super) struct CommonTable {
    pub common: Arc<CommonSubplan>,
    /// The plan that makes the rows once; `None` before it is planned.
    pub shared: Option<SharedColumns>,
}

/// A shared plan with the columns that at least one mention needs.
#[derive(Debug, Clone)]
pub(super) struct SharedColumns {
    pub plan: Arc<SharedPlan>,
    /// For each column of the shared plan, its number in the table.
    pub columns: Vec<usize>,
}

impl CommonTable {
    /// Returns the common subplan that a node mentions.
    pub fn of(node: &LogicalPlan) -> Option<(Arc<CommonSubplan>, &TableScan)> {
        let LogicalPlan::TableScan(scan) = node else { return None };
        let table = source_as_provider(&scan.source).ok()?;
        let table: &dyn Any = table.as_ref();
        let table = table.downcast_ref::<Self>()?;
        Some((table.common.clone(), scan))
    }
}

#[async_trait]
impl TableProvider for CommonTable {
    fn schema(&self) -> SchemaRef {
        self.common.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    fn statistics(&self) -> Option<Statistics> {
        let estimate = || {
            let estimates = cost::Estimates::of(&self.common.definition);
            let mut statistics = Statistics::new_unknown(&self.common.schema);
            statistics.num_rows = Precision::Inexact(estimates.rows as usize);
            for (column, values) in statistics.column_statistics.iter_mut().zip(estimates.values) {
                if let Some(values) = values {
                    column.distinct_count = Precision::Inexact(values as usize);
                }
            }
            statistics
        };
        Some(self.common.statistics.get_or_init(estimate).clone())
    }

    /// Filters stay above the scan, and the scan knows them.
    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Inexact; filters.len()])
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all = || (0..self.common.schema.fields().len()).collect();
        let columns = projection.cloned().unwrap_or_else(all);
        let Some(shared) = &self.shared else {
            // planned without the session's planner: by itself
            let plan = self.common.named(self.common.definition.clone(), &columns, None)?;
            return state.create_physical_plan(&plan).await;
        };
        let rows = Arc::new(SharedExec::new(shared.plan.clone()));
        let expressions = columns.into_iter().map(|column| {
            let index = shared.columns.iter().position(|&other| other == column);
            let index = index.ok_or_else(|| internal_datafusion_err!("a shared plan lacks a column"))?;
            let name = self.common.schema.field(column).name().clone();
            let expr = Arc::new(expressions::Column::new(rows.schema().field(index).name(), index));
            Ok(ProjectionExpr { expr, alias: name })
        });
        let expressions = expressions.collect::<Result<Vec<_>>>()?;
        Ok(Arc::new(ProjectionExec::try_new(expressions, rows)?))
    }
}
