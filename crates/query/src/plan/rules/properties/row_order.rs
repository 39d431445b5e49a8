//! Row order of queries without ORDER BY.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result as DataFusionResult;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::analyze::AnalyzeExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::scalar_subquery::ScalarSubqueryExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, Partitioning};

use super::super::joins::YieldExec;
use super::concatenate::ConcatenateExec;
use crate::scan::PeltonSource;

/// Keeps the rows of a query in the order of its files if all operators between can: scans,
/// filters, projections, limits, UNION ALL, UNNEST and windows without ORDER BY, as DuckDB does.
/// The rows of a limit are the first ones, wherever it stands.
///
/// DataFusion merges partitions in the order of their batches. This rule makes each scan range a
/// partition, in the files' order, and merges the partitions with a [`ConcatenateExec`].
#[derive(Debug)]
pub(in crate::plan) struct KeepRowOrder {
    /// False if rows may come in any order.
    pub is_on: bool,
    /// Bytes of rows that each partition may hold until its turn.
    pub buffer_bytes: usize,
}

impl KeepRowOrder {
    /// Returns the partitions that run at a time: one for each thread, and one for read-ahead. Each
    /// further one would hold its rows in memory while a slow consumer, such as a writer of files,
    /// is far behind.
    pub fn partitions_ahead(threads: usize) -> usize {
        threads + 1
    }
}

impl PhysicalOptimizerRule for KeepRowOrder {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        options: &ConfigOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        if !self.is_on {
            return Ok(plan);
        }
        let threads = options.execution.target_partitions.max(1);
        Pass { threads, buffer_bytes: self.buffer_bytes }.result(plan)
    }

    fn name(&self) -> &str {
        "keep_row_order"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

type Plan = Arc<dyn ExecutionPlan>;

struct Pass {
    threads: usize,
    buffer_bytes: usize,
}

impl Pass {
    /// Returns the plan with its result in order.
    fn result(&self, plan: Plan) -> DataFusionResult<Plan> {
        if plan.downcast_ref::<AnalyzeExec>().is_some() {
            let input = self.result(plan.children()[0].clone())?;
            return replaced(plan, vec![input]);
        }
        match plan.output_partitioning().partition_count() {
            1 => self.visit(plan, true),
            _ => match self.partitions(&plan)? {
                Some(partitions) => Ok(self.concatenate(partitions, None)),
                None => self.visit(plan, false),
            },
        }
    }

    /// Rewrites a part of the plan. Its rows have to be in order if `ordered`.
    fn visit(&self, plan: Plan, ordered: bool) -> DataFusionResult<Plan> {
        let children: Vec<Plan> = plan.children().into_iter().cloned().collect();
        let is_limit = plan.fetch().is_some() || plan.downcast_ref::<GlobalLimitExec>().is_some();
        let is_window = plan.downcast_ref::<WindowAggExec>().is_some()
            || plan.downcast_ref::<BoundedWindowAggExec>().is_some();
        let ordered = ordered || is_window || (is_limit && keeps_order(&plan));
        if ordered
            && plan.downcast_ref::<CoalescePartitionsExec>().is_some()
            && let Some(partitions) = self.partitions(&children[0])?
        {
            return Ok(self.concatenate(partitions, plan.fetch()));
        }
        let of_input = ordered && (keeps_order(&plan) || is_window);
        self.with_children(plan, children, |number, child| self.visit(child, of_input && number == 0))
    }

    /// Returns the plan with partitions that, concatenated, have the rows in order; `None` if an
    /// operator does not keep the order.
    fn partitions(&self, plan: &Plan) -> DataFusionResult<Option<Plan>> {
        if let Some(exec) = plan.downcast_ref::<DataSourceExec>() {
            let Some(source) = exec.data_source().downcast_ref::<PeltonSource>() else {
                return Ok((plan.output_partitioning().partition_count() == 1).then(|| plan.clone()));
            };
            let in_order = source.clone().in_order(self.threads)?;
            return Ok(Some(DataSourceExec::from_data_source(in_order)));
        }
        if plan.output_partitioning().partition_count() == 1 {
            return self.visit(plan.clone(), true).map(Some);
        }
        let children: Vec<Plan> = plan.children().into_iter().cloned().collect();
        if let Some(repartition) = plan.downcast_ref::<RepartitionExec>() {
            let is_for_threads = matches!(repartition.partitioning(), Partitioning::RoundRobinBatch(_));
            return if is_for_threads { self.partitions(&children[0]) } else { Ok(None) };
        }
        if plan.downcast_ref::<UnionExec>().is_some() {
            let inputs = children.into_iter().map(|child| {
                Ok(match self.partitions(&child)? {
                    Some(partitions) => partitions,
                    None => Arc::new(CoalescePartitionsExec::new(self.visit(child, false)?)),
                })
            });
            let inputs = inputs.collect::<DataFusionResult<Vec<Plan>>>()?;
            return replaced(plan.clone(), inputs).map(Some);
        }
        if !keeps_order(plan) {
            return Ok(None);
        }
        let Some(input) = self.partitions(&children[0])? else { return Ok(None) };
        let mut new = vec![input];
        for subquery in children.into_iter().skip(1) {
            new.push(self.visit(subquery, false)?);
        }
        replaced(plan.clone(), new).map(Some)
    }

    fn concatenate(&self, partitions: Plan, fetch: Option<usize>) -> Plan {
        let ahead = KeepRowOrder::partitions_ahead(self.threads);
        match (partitions.output_partitioning().partition_count(), fetch) {
            (1, None) => partitions,
            _ => Arc::new(ConcatenateExec::new(partitions, fetch, ahead, self.buffer_bytes)),
        }
    }

    fn with_children(
        &self,
        plan: Plan,
        children: Vec<Plan>,
        change: impl Fn(usize, Plan) -> DataFusionResult<Plan>,
    ) -> DataFusionResult<Plan> {
        let mut is_changed = false;
        let mut new = Vec::with_capacity(children.len());
        for (number, child) in children.into_iter().enumerate() {
            let changed = change(number, child.clone())?;
            is_changed |= !Arc::ptr_eq(&child, &changed);
            new.push(changed);
        }
        if is_changed { replaced(plan, new) } else { Ok(plan) }
    }
}

fn replaced(plan: Plan, children: Vec<Plan>) -> DataFusionResult<Plan> {
    plan.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
}

/// Returns whether an operator keeps the order of its first input, partition by partition. Other
/// inputs are scalar subqueries.
fn keeps_order(plan: &Plan) -> bool {
    plan.downcast_ref::<FilterExec>().is_some()
        || plan.downcast_ref::<ProjectionExec>().is_some()
        || plan.downcast_ref::<CooperativeExec>().is_some()
        || plan.downcast_ref::<YieldExec>().is_some()
        || plan.downcast_ref::<LocalLimitExec>().is_some()
        || plan.downcast_ref::<GlobalLimitExec>().is_some()
        || plan.downcast_ref::<CoalescePartitionsExec>().is_some()
        || plan.downcast_ref::<UnnestExec>().is_some()
        || plan.downcast_ref::<ScalarSubqueryExec>().is_some()
}
