//! Filter pushdown past operators with columns of the same name.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crate::tree::Tree;
use arrow::datatypes::SchemaRef;
use datafusion::common::Statistics;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::filter_pushdown::{
    ChildFilterDescription, ChildPushdownResult, FilterDescription, FilterPushdownPhase,
    FilterPushdownPropagation,
};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};

/// Runs DataFusion's filter pushdown with a [`GateExec`] above each operator that has two columns
/// of one name, and removes the gates afterwards.
///
/// The pushdown looks columns up by name and takes the first one of that name: a condition on `b.x`
/// becomes one on `a.x`, and drops rows of the answer.
#[derive(Debug)]
struct GatedPushdown {
    pushdown: Arc<dyn PhysicalOptimizerRule + Send + Sync>,
}

/// Returns the rules with gates around those that push filters down.
pub(in crate::plan) fn gated(
    rules: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>,
) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let gate = |rule: Arc<dyn PhysicalOptimizerRule + Send + Sync>| match rule.name() {
        name if name.starts_with("FilterPushdown") => Arc::new(GatedPushdown { pushdown: rule }),
        _ => rule,
    };
    rules.into_iter().map(gate).collect()
}

impl PhysicalOptimizerRule for GatedPushdown {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        options: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let close = |node: Arc<dyn ExecutionPlan>| {
            let ambiguous = ambiguous(&node);
            Ok(match ambiguous.is_empty() {
                true => Transformed::no(node),
                false => {
                    Transformed::yes(Arc::new(GateExec { input: node, ambiguous }) as Arc<dyn ExecutionPlan>)
                }
            })
        };
        let open = |node: Arc<dyn ExecutionPlan>| {
            let input = node.downcast_ref::<GateExec>().map(|gate| gate.input.clone());
            Ok(input.map_or_else(|| Transformed::no(node), Transformed::yes))
        };
        let closed = plan.transform_up(close)?;
        if !closed.transformed {
            return self.pushdown.optimize(closed.data, options);
        }
        let pushed = self.pushdown.optimize(closed.data, options)?;
        pushed.transform_up(open).map(|opened| opened.data)
    }

    fn name(&self) -> &str {
        self.pushdown.name()
    }

    fn schema_check(&self) -> bool {
        self.pushdown.schema_check()
    }
}

/// Names that several columns of an operator have, or of an input in which a column is looked up by
/// its name. A semi or anti join hands out the columns of one input, and looks them up in both.
fn ambiguous(node: &Arc<dyn ExecutionPlan>) -> HashSet<String> {
    let mut names = shared(&[node.schema()]);
    let inputs: Vec<SchemaRef> = node.children().iter().map(|child| child.schema()).collect();
    if node.name().ends_with("JoinExec") {
        names.extend(shared(&inputs));
    } else if node.downcast_ref::<ProjectionExec>().is_none() {
        inputs.into_iter().for_each(|input| names.extend(shared(&[input])));
    }
    names
}

fn shared(schemas: &[SchemaRef]) -> HashSet<String> {
    let mut seen = HashSet::new();
    let names = schemas.iter().flat_map(|schema| schema.fields()).map(|field| field.name());
    names.filter(|name| !seen.insert(name.as_str())).cloned().collect()
}

/// The rows of its input, past which no condition on a column of an ambiguous name is pushed.
#[derive(Debug, Clone)]
struct GateExec {
    input: Arc<dyn ExecutionPlan>,
    ambiguous: HashSet<String>,
}

impl DisplayAs for GateExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GateExec")
    }
}

impl ExecutionPlan for GateExec {
    fn name(&self) -> &str {
        "GateExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().unwrap_or_else(|| self.input.clone());
        Ok(Arc::new(Self { input, ambiguous: self.ambiguous.clone() }))
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().unwrap_or_else(|| self.input.clone());
        Ok(Arc::new(Self { input, ambiguous: self.ambiguous.clone() }))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.input.execute(partition, context)
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        vec![ChildStats::At(partition)]
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        _: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        Ok(inputs[0].clone())
    }

    fn gather_filters_for_pushdown(
        &self,
        _: FilterPushdownPhase,
        parent_filters: Vec<Arc<dyn PhysicalExpr>>,
        _: &ConfigOptions,
    ) -> Result<FilterDescription> {
        let schema = self.input.schema();
        let columns = schema.fields().iter().enumerate();
        let allowed = columns.filter(|(_, field)| !self.ambiguous.contains(field.name()));
        let allowed = allowed.map(|(index, _)| index).collect();
        let child =
            ChildFilterDescription::from_child_with_allowed_indices(&parent_filters, allowed, &self.input)?;
        Ok(FilterDescription::new().with_child(child))
    }

    fn handle_child_pushdown_result(
        &self,
        _: FilterPushdownPhase,
        result: ChildPushdownResult,
        _: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        Ok(FilterPushdownPropagation::if_all(result))
    }
}
