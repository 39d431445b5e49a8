//! Calls of `lead` and `lag` that DataFusion's functions compute wrongly.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{NullTreatment, WindowFunction};
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, WindowFunctionDefinition};

use crate::functions::common_time;
use crate::functions::lead_lag;
use crate::plan::rules::numbers::mixed_numbers::refuse_dates;
use crate::plan::sql::ZONE;

/// Replaces `lead` and `lag` by [`lead_lag`], unless NULLs count, the offset is a constant in the
/// function's direction, and the default is a constant.
///
/// DataFusion's functions lose values where NULLs are ignored, take a NULL offset for 1, and let a
/// LIMIT above them cut off rows that a negative offset needs.
#[derive(Debug)]
pub(in crate::plan) struct LeadLag;

impl FunctionRewrite for LeadLag {
    fn name(&self) -> &str {
        "shifts"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let Expr::WindowFunction(mut window) = expr else { return Ok(Transformed::no(expr)) };
        let forward = match window.fun.name() {
            "lead" => true,
            "lag" => false,
            _ => return Ok(Transformed::no(Expr::WindowFunction(window))),
        };
        let has_cast = cast_default(&mut window, schema)?;
        let is_changed = !is_plain(&window);
        if is_changed {
            window.fun = WindowFunctionDefinition::WindowUDF(Arc::new(lead_lag(forward)));
        }
        Ok(Transformed::new_transformed(Expr::WindowFunction(window), has_cast || is_changed))
    }
}

/// Gives the default the type of the value; for times, both get the finest unit.
fn cast_default(window: &mut WindowFunction, schema: &DFSchema) -> Result<bool> {
    let [value, _, default] = window.params.args.as_mut_slice() else { return Ok(false) };
    let (has, found) = (value.get_type(schema)?, default.get_type(schema)?);
    if has == found || has.is_null() {
        return Ok(false);
    }
    refuse_dates(&[has.clone(), found.clone()])?;
    let wanted = common_time([&has, &found].into_iter()).or_else(|| common_timestamp(&has, &found));
    let wanted = wanted.unwrap_or_else(|| has.clone());
    for (argument, own) in [(value, has), (default, found)] {
        if let (DataType::Timestamp(unit, None), DataType::Timestamp(_, Some(_))) = (&own, &wanted) {
            // without a zone it is in the session's
            *argument = cast(argument, &DataType::Timestamp(*unit, Some(ZONE.into())));
        }
        if own != wanted {
            *argument = cast(argument, &wanted);
        }
    }
    Ok(true)
}

/// Returns the timestamp type for values of two types; one of the two is a timestamp.
fn common_timestamp(value: &DataType, default: &DataType) -> Option<DataType> {
    let (unit, zone) = match (value, default) {
        (DataType::Timestamp(unit, zone), DataType::Timestamp(other, other_zone)) => {
            ((*unit).max(*other), zone.as_ref().or(other_zone.as_ref()))
        }
        (DataType::Date32 | DataType::Date64, DataType::Timestamp(unit, zone)) => (*unit, zone.as_ref()),
        _ => return None,
    };
    Some(DataType::Timestamp(unit, zone.cloned()))
}

fn cast(argument: &mut Expr, to: &DataType) -> Expr {
    Expr::Cast(Cast::new(Box::new(std::mem::take(argument)), to.clone()))
}

fn is_plain(window: &WindowFunction) -> bool {
    let arguments = &window.params.args;
    let offset = match arguments.get(1) {
        Some(Expr::Literal(ScalarValue::Int64(offset), _)) => offset.is_some_and(|offset| offset >= 0),
        other => other.is_none(),
    };
    let default = match arguments.get(2) {
        Some(Expr::Cast(cast)) => matches!(cast.expr.as_ref(), Expr::Literal(..)),
        other => other.is_none_or(|default| matches!(default, Expr::Literal(..))),
    };
    offset && default && window.params.null_treatment != Some(NullTreatment::IgnoreNulls)
}
