//! Parts of queries without a form in Substrait, and those that DataFusion's producer writes as
//! others, which have other rows.

use arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, not_impl_err};
use datafusion::execution::{FunctionRegistry, SessionState};
use datafusion::logical_expr::expr::{AggregateFunction, NullTreatment, WindowFunction};
use datafusion::logical_expr::{Cast, Expr, Like, LogicalPlan, TryCast, WindowFrameBound, WindowFrameUnits};

use crate::tree::PlanTree;

/// Advice for rows that can be stored first.
const STORE_FIRST: &str = "write its rows to a table first (CREATE TABLE ... AS SELECT), and query that";

/// Refuses a plan with such parts.
///
/// # Errors
/// It has one; the error says what to write in its place.
pub(super) fn check(plan: &LogicalPlan, state: &SessionState) -> Result<()> {
    plan.apply_to_all(|node| {
        check_node(node)?;
        node.apply_to_expressions(|expression| expression.apply(|part| check_expression(part, state)))?;
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
}

fn check_node(node: &LogicalPlan) -> Result<()> {
    match node {
        LogicalPlan::Join(join) if join.null_aware => {
            not_impl_err!(
                "NOT IN over values that may be NULL has no form in Substrait: write NOT EXISTS, or leave NULL out"
            )
        }
        LogicalPlan::TableScan(scan) if scan.table_name.table().ends_with("()") => {
            not_impl_err!("{} in FROM has no form in Substrait: {STORE_FIRST}", scan.table_name.table())
        }
        LogicalPlan::Unnest(_) => not_impl_err!("unnest has no form in Substrait: {STORE_FIRST}"),
        LogicalPlan::RecursiveQuery(query) => {
            not_impl_err!("WITH RECURSIVE {} has no form in Substrait: {STORE_FIRST}", query.name)
        }
        LogicalPlan::Extension(extension) => {
            not_impl_err!("{} has no form in Substrait: {STORE_FIRST}", extension.node.name())
        }
        LogicalPlan::Statement(_)
        | LogicalPlan::Explain(_)
        | LogicalPlan::Analyze(_)
        | LogicalPlan::Dml(_)
        | LogicalPlan::Ddl(_)
        | LogicalPlan::Copy(_)
        | LogicalPlan::DescribeTable(_) => {
            not_impl_err!("a statement that is no query has no form in Substrait: give a SELECT")
        }
        _ => Ok(()),
    }
}

fn check_expression(expression: &Expr, state: &SessionState) -> Result<TreeNodeRecursion> {
    match expression {
        Expr::WindowFunction(window) => check_window(window)?,
        Expr::AggregateFunction(call) => check_aggregate(call)?,
        Expr::Like(Like { escape_char: Some(escape), .. }) if *escape != '\\' => {
            return not_impl_err!(
                "LIKE with ESCAPE '{escape}' has no form in Substrait: write \\ before the character"
            );
        }
        Expr::ScalarFunction(call) if state.udf(call.name()).is_err() => {
            return not_impl_err!(
                "{}, a function of Pelton's own that this query needs, has no form in Substrait",
                call.name()
            );
        }
        Expr::Cast(Cast { field, .. }) | Expr::TryCast(TryCast { field, .. })
            if has_fields(field.data_type()) =>
        {
            return not_impl_err!(
                "a cast to STRUCT has no form in Substrait: cast the fields, {{'a': CAST(s.a AS DOUBLE)}}"
            );
        }
        Expr::Placeholder(parameter) => {
            return not_impl_err!(
                "a query with parameters has no Substrait plan: give the value of {}",
                parameter.id
            );
        }
        Expr::OuterReferenceColumn(_, column) => {
            return not_impl_err!(
                "a subquery with the outer column {column} has no form in Substrait: write a join"
            );
        }
        Expr::SimilarTo(_) => {
            return not_impl_err!("SIMILAR TO has no form in Substrait: write regexp_like(text, pattern)");
        }
        Expr::Unnest(_) => return not_impl_err!("unnest has no form in Substrait: {STORE_FIRST}"),
        Expr::ScalarVariable(_, names) => {
            return not_impl_err!(
                "the variable {} has no form in Substrait: give its value",
                names.join(".")
            );
        }
        _ => {}
    }
    Ok(TreeNodeRecursion::Continue)
}

/// Returns whether values of a type have fields with names, which a type in Substrait has not.
fn has_fields(data_type: &DataType) -> bool {
    match data_type {
        DataType::Struct(_) => true,
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            has_fields(item.data_type())
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(entry) => entry.iter().any(|field| has_fields(field.data_type())),
            _ => false,
        },
        _ => false,
    }
}

/// Refuses what the producer leaves out of a window: conditions, DISTINCT, IGNORE NULLS, and ends
/// of a range of values.
fn check_window(window: &WindowFunction) -> Result<()> {
    let (name, params) = (window.fun.name(), &window.params);
    let frame = &params.window_frame;
    let has_offset = [&frame.start_bound, &frame.end_bound].into_iter().any(|bound| match bound {
        WindowFrameBound::Preceding(value) | WindowFrameBound::Following(value) => !value.is_null(),
        WindowFrameBound::CurrentRow => false,
    });
    match frame.units {
        _ if params.filter.is_some() => not_impl_err!(
            "{name} FILTER over a window has no form in Substrait: write {name}(CASE WHEN ... THEN ... END) OVER"
        ),
        _ if params.distinct => {
            not_impl_err!("{name}(DISTINCT ...) over a window has no form in Substrait: join with a GROUP BY")
        }
        _ if params.null_treatment == Some(NullTreatment::IgnoreNulls) => not_impl_err!(
            "{name} IGNORE NULLS over a window has no form in Substrait: leave NULL out in a subquery"
        ),
        WindowFrameUnits::Range if has_offset => {
            not_impl_err!("RANGE with an offset has no form in Substrait: write ROWS, or a join")
        }
        WindowFrameUnits::Groups => {
            not_impl_err!("GROUPS in a window has no form in Substrait: write ROWS or RANGE")
        }
        _ => Ok(()),
    }
}

fn check_aggregate(call: &AggregateFunction) -> Result<()> {
    match call.params.null_treatment {
        Some(NullTreatment::IgnoreNulls) => {
            let name = call.func.name();
            not_impl_err!(
                "{name} IGNORE NULLS has no form in Substrait: write {name}(...) FILTER (WHERE ... IS NOT NULL)"
            )
        }
        _ => Ok(()),
    }
}
