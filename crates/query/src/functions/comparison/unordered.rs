//! Function that hides the order of its argument from the planner.

use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::utils::take_function_args;
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// Name of the function that hides the order of its argument.
pub(crate) const UNORDERED: &str = "unordered";

/// Calls a function that returns its argument, without telling the planner that the order of rows
/// is kept.
pub(crate) fn unordered(value: Expr) -> Expr {
    ScalarUDF::from(Unordered { signature: Signature::any(1, Volatility::Immutable) }).call(vec![value])
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Unordered {
    signature: Signature,
}

impl ScalarUDFImpl for Unordered {
    fn name(&self) -> &str {
        UNORDERED
    }

    /// Returns the name of the argument: a column keeps its name.
    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        Ok(args.iter().map(|arg| arg.schema_name().to_string()).collect())
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [data_type] => Ok(data_type.clone()),
            _ => internal_err!("{UNORDERED} has one argument"),
        }
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        match args.arg_fields {
            [field] => Ok(field.clone()),
            _ => internal_err!("{UNORDERED} has one argument"),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [value] = take_function_args(self.name(), args.args)?;
        Ok(value)
    }
}
