//! Key ranges: aggregation of rows with a key that row groups divide into ranges, as in files that
//! were written in the order of a key, such as the lines of an order.
//!
//! DataFusion's threads group the rows that they read, send the groups to each other by hash, and
//! group these again: where most groups have few rows, a hash table of all of them is built in
//! memory at random. By the statistics of the files, whole row groups often share no value of a key
//! with the others. The rows of such a range are grouped by themselves here, a range for each
//! thread at a time ([`KeyRangesExec`]): nothing is sent, hash tables are small, and a range leaves
//! memory with its groups.

mod exec;

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result;
use datafusion::physical_expr::Partitioning;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::union::InterleaveExec;
use datafusion::physical_plan::{
    Distribution, ExecutionPlan, ExecutionPlanProperties, replace_children_if_necessary,
};

use crate::plan::rules::joins::reads_all_partitions;
use crate::scan::PeltonSource;
use exec::KeyRangesExec;

/// Groups rows range by range of a key where the statistics of files allow it.
#[derive(Debug)]
pub(in crate::plan) struct KeyRanges {
    /// Off, groups are sent to the threads by hash.
    pub is_on: bool,
}

impl PhysicalOptimizerRule for KeyRanges {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if self.is_on { rewrite(plan, false) } else { Ok(plan) }
    }

    fn name(&self) -> &str {
        "key_ranges"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Walks down the plan. `by_hash`: an operator above has rows of equal keys in one partition.
fn rewrite(plan: Arc<dyn ExecutionPlan>, by_hash: bool) -> Result<Arc<dyn ExecutionPlan>> {
    if let Some((ranges, keys)) = by_ranges(&plan)? {
        let partitions = ranges.output_partitioning().partition_count();
        return Ok(match by_hash {
            true => Arc::new(RepartitionExec::try_new(ranges, Partitioning::Hash(keys, partitions))?),
            false => ranges,
        });
    }
    let needed = plan.input_distribution_requirements().into_per_child();
    let inputs = plan.children().into_iter().zip(needed).map(|(input, needed)| {
        let by_hash = match needed {
            Distribution::SinglePartition => false,
            Distribution::UnspecifiedDistribution => {
                plan.downcast_ref::<InterleaveExec>().is_some() || (by_hash && !reads_all_partitions(&plan))
            }
            _ => true,
        };
        rewrite(input.clone(), by_hash)
    });
    let inputs = inputs.collect::<Result<Vec<_>>>()?;
    replace_children_if_necessary(plan, inputs)
}

/// Keys of groups.
type Keys = Vec<Arc<dyn PhysicalExpr>>;

/// Returns an operator in place of an aggregate over another one of a scan, and the keys in its
/// output. `None` if it is none, or has no key with ranges. Conditions on the groups stay above it.
fn by_ranges(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<(Arc<dyn ExecutionPlan>, Keys)>> {
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        let Some((ranges, keys)) = by_ranges(filter.input())? else { return Ok(None) };
        let ranges = replace_children_if_necessary(plan.clone(), vec![ranges])?;
        return Ok(kept(filter, keys, &ranges).map(|keys| (ranges, keys)));
    }
    let Some(last) = aggregate(plan, AggregateMode::FinalPartitioned) else { return Ok(None) };
    let Some(sent) = last.input().downcast_ref::<RepartitionExec>() else { return Ok(None) };
    let Some(first) = aggregate(sent.input(), AggregateMode::Partial) else { return Ok(None) };
    let threads = plan.output_partitioning().partition_count();
    let columns = first.group_expr().expr().iter();
    let columns = columns.filter_map(|(key, _)| Some(key.downcast_ref::<Column>()?.index()));
    let input = columns.map(|column| scan_by_ranges(first.input(), column, threads));
    // the first key with ranges
    let input = input.filter_map(Result::transpose).next().transpose()?;
    let Some(input) = input else { return Ok(None) };
    let first = replace_children_if_necessary(sent.input().clone(), vec![input])?;
    let last = replace_children_if_necessary(plan.clone(), vec![first])?;
    let Some(keys) = last.downcast_ref::<AggregateExec>().map(AggregateExec::output_group_expr) else {
        return Ok(None);
    };
    Ok(Some((Arc::new(KeyRangesExec::new(last, threads)), keys)))
}

/// Returns the keys in the output of a filter; `None` if it lacks one.
fn kept(filter: &FilterExec, keys: Keys, output: &Arc<dyn ExecutionPlan>) -> Option<Keys> {
    let Some(columns) = filter.projection().as_ref() else { return Some(keys) };
    let schema = output.schema();
    let in_output = keys.iter().map(|key| {
        let column = key.downcast_ref::<Column>()?.index();
        let at = columns.iter().position(|&kept| kept == column)?;
        Some(Arc::new(Column::new(schema.field(at).name(), at)) as Arc<dyn PhysicalExpr>)
    });
    in_output.collect()
}

/// Returns an aggregate of a mode, with keys, and without sets of keys or a limit.
fn aggregate(plan: &Arc<dyn ExecutionPlan>, mode: AggregateMode) -> Option<&AggregateExec> {
    let aggregate = plan.downcast_ref::<AggregateExec>()?;
    let keys = aggregate.group_expr();
    let is_plain = keys.is_single() && !keys.is_empty() && aggregate.limit_options().is_none();
    (*aggregate.mode() == mode && is_plain).then_some(aggregate)
}

/// Returns a scan, with filters and projections above, by ranges of a column of its output; `None`
/// if there are no such ranges or other operators.
fn scan_by_ranges(
    plan: &Arc<dyn ExecutionPlan>,
    column: usize,
    threads: usize,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(scan) = plan.downcast_ref::<DataSourceExec>() {
        let source = scan.data_source().downcast_ref::<PeltonSource>();
        let source = source.and_then(|source| source.by_key_ranges(column, threads));
        return Ok(source.map(|source| DataSourceExec::from_data_source(source) as _));
    }
    let column = if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        filter.projection().as_ref().map_or(Some(column), |kept| kept.get(column).copied())
    } else if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let expression = projection.expr().get(column);
        expression.and_then(|expression| Some(expression.expr.downcast_ref::<Column>()?.index()))
    } else {
        None
    };
    let Some(column) = column else { return Ok(None) };
    let input = scan_by_ranges(plan.children()[0], column, threads)?;
    input.map(|input| replace_children_if_necessary(plan.clone(), vec![input])).transpose()
}
