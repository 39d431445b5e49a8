//! `lead` and `lag` that DataFusion's functions of these names get wrong.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{NullTreatment, WindowFunction};
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, WindowFunctionDefinition};

use crate::functions::shift;

/// Puts [`shift`] in the place of `lead` and `lag` unless NULLs count, the offset is a whole number
/// of rows in the function's direction, and the default a constant.
///
/// DataFusion's functions lose values where NULLs are ignored, take a NULL offset for 1, and have a
/// LIMIT above them cut off rows that a negative offset needs.
#[derive(Debug)]
pub(in crate::plan) struct Shifts;

impl FunctionRewrite for Shifts {
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
            window.fun = WindowFunctionDefinition::WindowUDF(Arc::new(shift(forward)));
        }
        Ok(Transformed::new_transformed(Expr::WindowFunction(window), has_cast || is_changed))
    }
}

/// Gives the default the type of the value.
fn cast_default(window: &mut WindowFunction, schema: &DFSchema) -> Result<bool> {
    let [value, _, default] = window.params.args.as_mut_slice() else { return Ok(false) };
    let (wanted, found) = (value.get_type(schema)?, default.get_type(schema)?);
    let is_changed = wanted != found && !wanted.is_null();
    if is_changed {
        *default = Expr::Cast(Cast::new(Box::new(std::mem::take(default)), wanted));
    }
    Ok(is_changed)
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
