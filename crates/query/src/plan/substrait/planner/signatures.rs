//! Checks of the arguments of calls. DataFusion's analyzer comes too late: names and types of
//! columns are computed before, and some fail with internal errors or panics.

use std::sync::Arc;

use arrow::datatypes::FieldRef;
use datafusion::common::{DFSchema, Result, plan_err};
use datafusion::logical_expr::type_coercion::functions::{UDFCoercionExt, fields_with_udf};
use datafusion::logical_expr::{Expr, ExprSchemable};

use crate::plan::type_in_sql;

/// Checks that a function takes the arguments of a call.
///
/// # Errors
/// It does not; the error has their types.
pub(super) fn check<F: UDFCoercionExt>(
    function: &Arc<F>,
    arguments: &[Expr],
    schema: &DFSchema,
) -> Result<()> {
    let fields = arguments.iter().map(|argument| Ok(argument.to_field(schema)?.1));
    let fields = fields.collect::<Result<Vec<FieldRef>>>()?;
    match fields_with_udf(&fields, function.as_ref()) {
        Ok(_) => Ok(()),
        Err(_) => {
            let types: Vec<String> = fields.iter().map(|field| type_in_sql(field.data_type())).collect();
            plan_err!(
                "{} of the plan does not take ({}): cast its arguments, or give it others",
                function.name(),
                types.join(", ")
            )
        }
    }
}
