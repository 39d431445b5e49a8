//! Comparisons of decimals with doubles, integers and literals of other scales.
//!
//! DataFusion compares a decimal with a double as decimals, and rounds the double for that. This
//! rule runs before its type coercion: it casts the decimal to double, as DuckDB does. A decimal
//! literal that is compared with a decimal or an integer gets the scale of that column, so that the
//! column itself is compared and statistics can prune it. Times of day of different units, for
//! which DataFusion has no common type, get the finest unit. Dates beside integers, which
//! DataFusion takes for days, are refused. Values without a zone beside timestamps with a zone are
//! in the session's zone.

mod dates;
mod literal;
mod sets;
mod unify;
mod unsigned;

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{self, Transformed};
use datafusion::common::{Column, DFSchema, Result};
use datafusion::logical_expr::{Expr, ExprSchemable, Join, LogicalPlan, LogicalPlanBuilder, Union};
use datafusion::optimizer::AnalyzerRule;
use datafusion::optimizer::analyzer::type_coercion::TypeCoercionRewriter;

use crate::plan::rules::expressions::{has, input_schema, rewrite_expressions};
use crate::tree::{PlanTree, Tree};

pub(in crate::plan::rules) use dates::refuse_dates;
use literal::cast;
use sets::in_set_operation;
pub(in crate::plan::rules) use sets::{is_set_operation, with_sides};
use unify::{common, differs, has_operands, unify};

/// Gives both sides of comparisons, and all branches of unions and conditionals, a common type
/// where some are decimals and others doubles, or times of day of different units.
#[derive(Debug)]
pub(in crate::plan::rules) struct MixedNumbers;

impl AnalyzerRule for MixedNumbers {
    fn name(&self) -> &str {
        "mixed_numbers"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        // the types of a node's inputs stay until the first change
        let mut are_changed = false;
        plan.transform_all_up(|node| {
            let node = rewrite(node, are_changed)?;
            are_changed |= node.transformed;
            Ok(node)
        })
        .map(|transformed| transformed.data)
    }
}

/// Brings the inputs of each union, INTERSECT and EXCEPT in a relation to one type, before an
/// expression above it is planned by the type of the first.
pub(in crate::plan::rules) fn coerce_unions(plan: LogicalPlan) -> Result<LogicalPlan> {
    let has_union = plan.exists(|node| match node {
        LogicalPlan::Join(join) => Ok(is_set_operation(join)),
        node => Ok(matches!(node, LogicalPlan::Union(_))),
    })?;
    if !has_union {
        return Ok(plan);
    }
    let coerced = plan.transform_up(|node| {
        Ok(Transformed::yes(match node {
            LogicalPlan::Union(union) => TypeCoercionRewriter::coerce_union(in_union(union)?.0)?,
            LogicalPlan::Join(join) if is_set_operation(&join) => in_set_operation(join)?.data,
            other => other.recompute_schema()?,
        }))
    })?;
    Ok(coerced.data)
}

/// Returns the type of an expression after type coercion. Before it, DataFusion takes the type of a
/// CASE from its first arm.
///
/// # Errors
/// The arms of a CASE have no common type, or a column is not known.
pub(in crate::plan::rules) fn coerced_type(expr: &Expr, schema: &DFSchema) -> Result<DataType> {
    if !expr.exists(|part| Ok(matches!(part, Expr::Case(_))))? {
        return expr.get_type(schema);
    }
    let unified = expr.clone().transform_up(|part| unify(part, schema))?.data;
    tree_node::TreeNode::rewrite(unified, &mut TypeCoercionRewriter::new(schema))?.data.get_type(schema)
}

/// Rewrites one node. `are_changed`: the types of its inputs may differ from those that it was made
/// with.
fn rewrite(plan: LogicalPlan, are_changed: bool) -> Result<Transformed<LogicalPlan>> {
    let plan = match has(&plan, has_operands)? {
        true => {
            let schema = input_schema(&plan)?;
            rewrite_expressions(plan, |node| unify(node, &schema))?
        }
        false => Transformed::no(plan),
    };
    let plan = match plan {
        Transformed { data: LogicalPlan::Join(join), transformed, tnr } if is_set_operation(&join) => {
            let set = in_set_operation(join)?;
            Transformed::new(set.data, transformed || set.transformed, tnr)
        }
        Transformed { data: LogicalPlan::Join(join), transformed, tnr } => {
            let (join, is_changed) = in_join(join)?;
            Transformed::new(LogicalPlan::Join(join), transformed || is_changed, tnr)
        }
        Transformed { data: LogicalPlan::Union(union), tnr, .. } => {
            let (union, _) = in_union(union)?;
            let union = TypeCoercionRewriter::coerce_union(union)?;
            Transformed::new(union, true, tnr)
        }
        other => other,
    };
    match plan.transformed {
        true => plan.map_data(LogicalPlan::recompute_schema),
        false if are_changed => plan.data.recompute_schema().map(Transformed::no),
        false => Ok(plan),
    }
}

/// Unifies the keys of USING, which are pairs and not operators.
fn in_join(mut join: Join) -> Result<(Join, bool)> {
    let mut is_changed = false;
    for (left, right) in &mut join.on {
        let types = [left.get_type(join.left.schema())?, right.get_type(join.right.schema())?];
        let Some(common) = common(&types)? else { continue };
        for (side, found) in [left, right].into_iter().zip(&types) {
            if differs(found, &common) {
                *side = cast(std::mem::take(side), &common);
                is_changed = true;
            }
        }
    }
    Ok((join, is_changed))
}

/// Casts the decimal columns of a union's inputs if other inputs have floats, and gives times of
/// day a common unit.
fn in_union(union: Union) -> Result<(Union, bool)> {
    // an inner union may have been planned with other types
    let union = Union::try_new_with_loose_types(union.inputs)?;
    let width = union.schema.fields().len();
    let column = |index: usize| {
        let types = union.inputs.iter().filter_map(|input| {
            let field = input.schema().fields().get(index)?;
            Some(field.data_type().clone())
        });
        common(&types.collect::<Vec<_>>())
    };
    let commons: Vec<_> = (0..width).map(column).collect::<Result<_>>()?;
    if commons.iter().all(Option::is_none) {
        return Ok((union, false));
    }
    let mut inputs = Vec::with_capacity(union.inputs.len());
    for input in union.inputs {
        let schema = input.schema().clone();
        let columns = schema.iter().zip(&commons).map(|((qualifier, field), common)| {
            let column = Expr::Column(Column::new(qualifier.cloned(), field.name()));
            match common {
                Some(common) if differs(field.data_type(), common) => {
                    cast(column, common).alias_qualified(qualifier.cloned(), field.name())
                }
                _ => column,
            }
        });
        let columns: Vec<Expr> = columns.collect();
        inputs.push(Arc::new(LogicalPlanBuilder::from(input).project(columns)?.build()?));
    }
    Ok((Union::try_new_with_loose_types(inputs)?, true))
}
