//! Decimal arithmetic on 64 bits where that is enough.

use std::sync::Arc;

use arrow::datatypes::Schema;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result as DataFusionResult;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};

use crate::expression::DecimalArithmetic;

/// Puts [`DecimalArithmetic`] in the place of sums, differences and products of decimals, in projections and in what is
/// aggregated: where a query computes with every row.
#[derive(Debug)]
pub(super) struct NarrowDecimals;

impl PhysicalOptimizerRule for NarrowDecimals {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let changed = match (node.downcast_ref::<ProjectionExec>(), node.downcast_ref::<AggregateExec>())
            {
                (Some(projection), _) => in_projection(projection)?,
                (_, Some(aggregate)) => in_aggregate(aggregate)?,
                _ => None,
            };
            Ok(changed.map_or_else(|| Transformed::no(node), Transformed::yes))
        })
        .map(|transformed| transformed.data)
    }

    fn name(&self) -> &str {
        "narrow_decimals"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn narrowed(
    expression: &Arc<dyn PhysicalExpr>,
    schema: &Schema,
) -> DataFusionResult<Transformed<Arc<dyn PhysicalExpr>>> {
    expression.clone().transform_up(|node| {
        let narrow = DecimalArithmetic::new(&node, schema);
        Ok(narrow.map_or_else(|| Transformed::no(node), |narrow| Transformed::yes(Arc::new(narrow) as _)))
    })
}

fn in_projection(projection: &ProjectionExec) -> DataFusionResult<Option<Arc<dyn ExecutionPlan>>> {
    let schema = projection.input().schema();
    let mut changed = false;
    let mut expressions = Vec::new();
    for ProjectionExpr { expr, alias } in projection.expr() {
        let expr = narrowed(expr, &schema)?;
        changed |= expr.transformed;
        expressions.push(ProjectionExpr { expr: expr.data, alias: alias.clone() });
    }
    if !changed {
        return Ok(None);
    }
    let output = projection.schema();
    let input = projection.input().clone();
    Ok(Some(Arc::new(ProjectionExec::try_new_with_schema_metadata(expressions, input, &output)?)))
}

fn in_aggregate(aggregate: &AggregateExec) -> DataFusionResult<Option<Arc<dyn ExecutionPlan>>> {
    // what comes second merges the states of what came first
    if aggregate.mode().input_mode() != AggregateInputMode::Raw {
        return Ok(None);
    }
    let schema = aggregate.input().schema();
    let mut changed = false;
    let mut functions = Vec::new();
    for function in aggregate.aggr_expr() {
        let mut new = None;
        // a function over ordered rows forgets, with new arguments, that its order may be reversed
        if function.order_bys().is_empty() {
            let mut arguments = Vec::new();
            let mut is_new = false;
            for argument in function.expressions() {
                let argument = narrowed(&argument, &schema)?;
                is_new |= argument.transformed;
                arguments.push(argument.data);
            }
            new = is_new.then(|| function.with_new_expressions(arguments, Vec::new())).flatten();
        }
        changed |= new.is_some();
        functions.push(new.map_or_else(|| function.clone(), Arc::new));
    }
    Ok(changed.then(|| Arc::new(aggregate.with_new_aggr_exprs(functions)) as Arc<dyn ExecutionPlan>))
}
