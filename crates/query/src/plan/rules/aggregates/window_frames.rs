//! Frames of window functions.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::NullTreatment;
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{
    Cast, Expr, ExprSchemable, LogicalPlan, WindowFrame, WindowFrameBound, WindowFrameUnits,
    WindowFunctionDefinition,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::physical_expr::window::WindowExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};

use crate::functions::{respecting_nulls, sliding};
use crate::plan::rules::expressions::rewrite_wanted;
use crate::tree::Tree;

/// Turns a RANGE frame between the partition's ends or the current row into a GROUPS frame, which
/// is equivalent.
///
/// DataFusion accepts a RANGE frame, the default of a window with an order, only over types to
/// which a bound can be added: not over times of day, bytes, structs or lists of lists.
///
/// The keys of other frames become numbers from which any bound can be subtracted: DataFusion takes
/// an unsigned number below zero, and each bound of a dictionary, for the end of the partition.
#[derive(Debug)]
pub(in crate::plan) struct PeerFrames;

impl FunctionRewrite for PeerFrames {
    fn name(&self) -> &str {
        "peer_frames"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let Expr::WindowFunction(mut window) = expr else { return Ok(Transformed::no(expr)) };
        let params = &mut window.params;
        let WindowFrame { units, start_bound, end_bound, .. } = &params.window_frame;
        let is_range =
            *units == WindowFrameUnits::Range && is_relative(start_bound) && is_relative(end_bound);
        let is_changed = match params.order_by.first_mut() {
            Some(key) if is_range => has_no_differences(&key.expr.get_type(schema)?),
            Some(key) if *units == WindowFrameUnits::Range => {
                let digits = fraction_digits(start_bound).max(fraction_digits(end_bound));
                let wider = with_differences(&key.expr.get_type(schema)?, digits);
                if let Some(wider) = wider {
                    let narrow = std::mem::take(&mut key.expr);
                    key.expr = Expr::Cast(Cast::new(Box::new(narrow), wider));
                    return Ok(Transformed::yes(Expr::WindowFunction(window)));
                }
                false
            }
            _ => false,
        };
        if is_changed {
            let (start, end) = (start_bound.clone(), end_bound.clone());
            params.window_frame = WindowFrame::new_bounds(WindowFrameUnits::Groups, start, end);
        }
        Ok(Transformed::new_transformed(Expr::WindowFunction(window), is_changed))
    }
}

/// Returns the type in which bounds with `digits` decimal places can be added to and subtracted
/// from values of a type; `None` if it is the type itself.
fn with_differences(data_type: &DataType, digits: i8) -> Option<DataType> {
    match data_type {
        DataType::Dictionary(_, values) => {
            with_differences(values, digits).or_else(|| Some(values.as_ref().clone()))
        }
        DataType::Int64 | DataType::UInt64 => Some(DataType::Decimal128(38, digits)),
        found if found.is_integer() && digits == 0 => Some(DataType::Int64),
        found if found.is_integer() => Some(DataType::Decimal128(38, digits)),
        &DataType::Decimal128(precision, scale) if precision < 38 || scale < digits => {
            Some(DataType::Decimal128(38, scale.max(digits)))
        }
        _ => None,
    }
}

/// Returns the decimal places of a bound.
fn fraction_digits(bound: &WindowFrameBound) -> i8 {
    let (WindowFrameBound::Preceding(offset) | WindowFrameBound::Following(offset)) = bound else { return 0 };
    let text = offset.to_string();
    let digits = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    i8::try_from(digits.min(30)).unwrap_or_default()
}

/// Returns whether a bound is the partition's end or the current row.
fn is_relative(bound: &WindowFrameBound) -> bool {
    match bound {
        WindowFrameBound::CurrentRow => true,
        WindowFrameBound::Preceding(offset) | WindowFrameBound::Following(offset) => offset.is_null(),
    }
}

/// Returns whether DataFusion refuses a RANGE frame over a type.
fn has_no_differences(data_type: &DataType) -> bool {
    match data_type {
        DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Duration(_)
        | DataType::Interval(_)
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => true,
        DataType::Dictionary(_, values) => has_no_differences(values),
        other => other.is_nested(),
    }
}

/// Functions that have the value of another row, and can ignore NULLs.
const VALUES: [&str; 5] = ["first_value", "lag", "last_value", "lead", "nth_value"];

/// Replaces aggregates of windows by their forms for sliding frames, and marks functions of other
/// rows that respect NULLs.
#[derive(Debug)]
pub(in crate::plan::rules) struct SlidingFrames;

impl AnalyzerRule for SlidingFrames {
    fn name(&self) -> &str {
        "moving_frames"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        rewrite_wanted(plan, |part| matches!(part, Expr::WindowFunction(_)), |part, _| Ok(in_window(part)))
            .map(|transformed| transformed.data)
    }
}

fn in_window(node: Expr) -> Transformed<Expr> {
    let Expr::WindowFunction(mut call) = node else { return Transformed::no(node) };
    let function = match &call.fun {
        WindowFunctionDefinition::AggregateUDF(function) => {
            sliding(function, call.params.filter.is_some()).map(WindowFunctionDefinition::AggregateUDF)
        }
        WindowFunctionDefinition::WindowUDF(function) => {
            let ignores_nulls = call.params.null_treatment == Some(NullTreatment::IgnoreNulls);
            let is_value = VALUES.contains(&function.name()) && !ignores_nulls;
            is_value.then(|| respecting_nulls(function)).flatten().map(WindowFunctionDefinition::WindowUDF)
        }
    };
    let is_changed = function.is_some();
    call.fun = function.unwrap_or(call.fun);
    Transformed::new_transformed(Expr::WindowFunction(call), is_changed)
}

/// Computes a window over the whole partition if its frame ends some distance before the current
/// row.
///
/// DataFusion emits a value as soon as it has the row, since the frame ends before it. But the
/// frame of a NULL is all rows with NULL, and more of them can follow.
#[derive(Debug)]
pub(in crate::plan::rules) struct WholePartitions;

impl PhysicalOptimizerRule for WholePartitions {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| match plan.downcast_ref::<BoundedWindowAggExec>() {
            Some(window) if window.window_expr().iter().any(ends_before) => {
                let expressions = window.window_expr().to_vec();
                let can_repartition = !window.partition_keys().is_empty();
                let whole = WindowAggExec::try_new(expressions, window.input().clone(), can_repartition)?;
                Ok(Transformed::yes(Arc::new(whole) as Arc<dyn ExecutionPlan>))
            }
            _ => Ok(Transformed::no(plan)),
        })
        .data()
    }

    fn name(&self) -> &str {
        "whole_partitions"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns whether a frame ends some distance before its row.
fn ends_before(window: &Arc<dyn WindowExpr>) -> bool {
    let frame = window.get_window_frame();
    frame.units == WindowFrameUnits::Range
        && matches!(&frame.end_bound, WindowFrameBound::Preceding(distance) if !distance.is_null())
}
