//! Common types of the columns of INTERSECT and EXCEPT, as UNION has them.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, JoinType, NullEquality, Result};
use datafusion::logical_expr::{Distinct, Expr, Join, LogicalPlan, LogicalPlanBuilder, Union};
use datafusion::optimizer::analyzer::type_coercion::TypeCoercionRewriter;

use super::{cast, in_union};

/// Returns whether a join is one of these. Before subqueries are joins, nothing else makes a semi
/// or an anti join in which NULL equals NULL.
pub(in crate::plan::rules) fn is_set_operation(join: &Join) -> bool {
    matches!(join.join_type, JoinType::LeftSemi | JoinType::LeftAnti)
        && join.null_equality == NullEquality::NullEqualsNull
        && join.filter.is_none()
}

/// Brings both sides of a set operation to their common types. DataFusion plans it as a join,
/// compares in the common types, and returns the first side's rows uncast.
///
/// # Errors
/// Columns have no common type.
pub(super) fn in_set_operation(join: Join) -> Result<Transformed<LogicalPlan>> {
    let types = |plan: &LogicalPlan| {
        let fields = plan.schema().fields().iter();
        fields.map(|field| field.data_type().clone()).collect::<Vec<_>>()
    };
    let (left, right) = (types(&join.left), types(&join.right));
    if left == right && !left.contains(&DataType::Null) {
        return Ok(Transformed::no(LogicalPlan::Join(join)));
    }
    let union = Union::try_new_with_loose_types(vec![join.left.clone(), join.right.clone()])?;
    let mut common = types(&TypeCoercionRewriter::coerce_union(in_union(union)?.0)?);
    // keys of no type are never equal, and not even NULL is NULL
    common.iter_mut().filter(|found| found.is_null()).for_each(|found| *found = DataType::Int64);
    let (left, right) = (as_types(&join.left, &common)?, as_types(&join.right, &common)?);
    let columns = |plan: &LogicalPlan| plan.schema().columns().into_iter().map(Expr::Column);
    let on = columns(&left).zip(columns(&right)).collect();
    let join = with_sides(join, Arc::new(left), Arc::new(right), on)?;
    Ok(Transformed::yes(LogicalPlan::Join(join)))
}

/// Returns a set operation with other sides and keys.
///
/// # Errors
/// The sides have columns of one name.
pub(in crate::plan::rules) fn with_sides(
    join: Join,
    left: Arc<LogicalPlan>,
    right: Arc<LogicalPlan>,
    on: Vec<(Expr, Expr)>,
) -> Result<Join> {
    let Join { join_type, join_constraint, null_equality, null_aware, .. } = join;
    Join::try_new(left, right, on, None, join_type, join_constraint, null_equality, null_aware)
}

/// Casts the columns of a plan. Rows are told apart after that.
fn as_types(plan: &Arc<LogicalPlan>, types: &[DataType]) -> Result<LogicalPlan> {
    if let LogicalPlan::Distinct(Distinct::All(input)) = plan.as_ref() {
        return Ok(LogicalPlan::Distinct(Distinct::All(Arc::new(as_types(input, types)?))));
    }
    let columns = plan.schema().iter().zip(types).map(|((qualifier, field), to)| {
        let column = Expr::Column(Column::new(qualifier.cloned(), field.name()));
        match field.data_type() == to {
            true => column,
            false => cast(column, to).alias_qualified(qualifier.cloned(), field.name()),
        }
    });
    let columns: Vec<Expr> = columns.collect();
    LogicalPlanBuilder::new_from_arc(plan.clone()).project(columns)?.build()
}
