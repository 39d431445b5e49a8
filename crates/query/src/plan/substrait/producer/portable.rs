//! Plans in terms that other engines have.

use std::sync::Arc;

use arrow::array::{Array, StructArray};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{JoinType, Result, ScalarValue, Spans};
use datafusion::execution::{FunctionRegistry, SessionState};
use datafusion::logical_expr::expr::{InSubquery, ScalarFunction};
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{
    Expr, ExprSchemable, Filter, Join, LogicalPlan, LogicalPlanBuilder, Projection, ScalarUDF, Subquery,
    WindowFrameBound, WindowFrameUnits, lit,
};

use crate::functions::{CANONICAL_FLOAT, CANONICAL_NAN, UNORDERED};
use crate::plan::rules::{as_operators, rewrite_expressions, without_nodes};
use crate::tree::PlanTree;

/// Functions of Pelton's own that are their argument to other engines.
const TRANSPARENT: [&str; 3] = [CANONICAL_FLOAT, CANONICAL_NAN, UNORDERED];

/// Returns a plan without functions and nodes of Pelton's own, which reading the plan adds again.
/// NOT IN becomes a condition with a subquery, a struct a call that names its fields, and the
/// conditions of a scan a filter.
///
/// # Errors
/// A node can't be made of its new expressions.
pub(super) fn portable(plan: LogicalPlan, state: &SessionState) -> Result<LogicalPlan> {
    let named_struct = state.udf("named_struct")?;
    let plan = without_nodes(as_operators(plan)?)?.transform_all_up(|node| {
        let has_schema = matches!(node, LogicalPlan::Values(_));
        let node = rewrite_expressions(node, |part| match part {
            Expr::Literal(ScalarValue::Struct(row), _) if !has_schema && row.is_valid(0) => {
                Ok(Transformed::yes(with_names(&row, &named_struct)?))
            }
            part => Ok(portable_expression(part)),
        })?;
        node.transform_data(not_in)?.transform_data(filtered)
    });
    plan.map(|transformed| transformed.data)
}

/// Writes a struct as a call with the names of its fields, which a literal in Substrait lacks.
fn with_names(row: &StructArray, named_struct: &Arc<ScalarUDF>) -> Result<Expr> {
    let mut arguments = Vec::new();
    for (field, column) in row.fields().iter().zip(row.columns()) {
        arguments.push(lit(field.name().as_str()));
        arguments.push(match ScalarValue::try_from_array(column, 0)? {
            ScalarValue::Struct(row) if row.is_valid(0) => with_names(&row, named_struct)?,
            value => lit(value),
        });
    }
    Ok(Expr::ScalarFunction(ScalarFunction::new_udf(named_struct.clone(), arguments)))
}

/// Writes the conditions of a scan as a filter above it. DataFusion's consumer does not apply those
/// in a read.
fn filtered(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::TableScan(mut scan) = plan else { return Ok(Transformed::no(plan)) };
    let Some(condition) = conjunction(std::mem::take(&mut scan.filters)) else {
        return Ok(Transformed::no(LogicalPlan::TableScan(scan)));
    };
    let columns = scan.projected_schema.columns();
    let schema = scan.source.schema();
    let mut read = scan.projection.clone().unwrap_or_else(|| (0..schema.fields().len()).collect());
    for column in condition.column_refs() {
        let at = schema.index_of(column.name())?;
        if !read.contains(&at) {
            read.push(at);
        }
    }
    let rows = LogicalPlanBuilder::scan(scan.table_name, scan.source, Some(read))?.filter(condition)?;
    let plan = rows.project(columns.into_iter().map(Expr::Column))?.build()?;
    Ok(Transformed::yes(plan))
}

/// Writes an anti join that stands for NOT IN as a condition. An anti join of Substrait keeps rows
/// with NULL.
fn not_in(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Join(mut join) = plan else { return Ok(Transformed::no(plan)) };
    if !join.null_aware {
        return Ok(Transformed::no(LogicalPlan::Join(join)));
    }
    if !may_meet_null(&join)? {
        join.null_aware = false;
        return Ok(Transformed::yes(LogicalPlan::Join(join)));
    }
    let [(value, option)] = join.on.as_slice() else { return Ok(Transformed::no(LogicalPlan::Join(join))) };
    if join.filter.is_some() || join.join_type != JoinType::LeftAnti {
        return Ok(Transformed::no(LogicalPlan::Join(join)));
    }
    let options = Projection::try_new(vec![option.clone()], join.right.clone())?;
    let subquery = Subquery {
        subquery: Arc::new(LogicalPlan::Projection(options)),
        outer_ref_columns: Vec::new(),
        spans: Spans::new(),
    };
    let condition = Expr::InSubquery(InSubquery::new(Box::new(value.clone()), subquery, true));
    Ok(Transformed::yes(LogicalPlan::Filter(Filter::try_new(condition, join.left)?)))
}

/// Returns whether a key of a join may be NULL.
fn may_meet_null(join: &Join) -> Result<bool> {
    for (left, right) in &join.on {
        if left.nullable(join.left.schema())? || right.nullable(join.right.schema())? {
            return Ok(true);
        }
    }
    Ok(join.filter.is_some())
}

fn portable_expression(expression: Expr) -> Transformed<Expr> {
    match expression {
        Expr::ScalarFunction(ScalarFunction { func, mut args })
            if TRANSPARENT.contains(&func.name()) && args.len() == 1 =>
        {
            Transformed::yes(args.remove(0))
        }
        Expr::WindowFunction(mut window) => {
            let frame = &mut window.params.window_frame;
            let is_rows = frame.units == WindowFrameUnits::Rows;
            let mut is_changed = false;
            for bound in [&mut frame.start_bound, &mut frame.end_bound] {
                if is_rows && is_here(bound) {
                    *bound = WindowFrameBound::CurrentRow;
                    is_changed = true;
                }
            }
            Transformed::new_transformed(Expr::WindowFunction(window), is_changed)
        }
        other => Transformed::no(other),
    }
}

/// Returns whether a bound is no row away. An offset in Substrait is positive.
fn is_here(bound: &WindowFrameBound) -> bool {
    match bound {
        WindowFrameBound::Preceding(offset) | WindowFrameBound::Following(offset) => {
            *offset == ScalarValue::UInt64(Some(0))
        }
        WindowFrameBound::CurrentRow => false,
    }
}
