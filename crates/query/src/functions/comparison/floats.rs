//! Functions that make floats canonical, so that they compare as in SQL: one NaN, one zero.

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::utils::take_function_args;
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::floats::{canonical_nans, one_zero};

/// Name of the function that gives NaN one bit pattern.
pub(crate) const CANONICAL_NAN: &str = "canonical_nan";

/// Name of the function that gives NaN one bit pattern, and 0.0 for -0.0.
pub(crate) const CANONICAL_FLOAT: &str = "canonical_float";

/// Calls the function that gives NaN one bit pattern.
pub(crate) fn canonical_nan(float: Expr) -> Expr {
    call(false, float)
}

/// Calls the function that gives NaN one bit pattern, and 0.0 for -0.0.
pub(crate) fn canonical_float(float: Expr) -> Expr {
    call(true, float)
}

fn call(zeros: bool, float: Expr) -> Expr {
    let function = Canonical { zeros, signature: Signature::any(1, Volatility::Immutable) };
    ScalarUDF::from(function).call(vec![float])
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Canonical {
    zeros: bool,
    signature: Signature,
}

impl ScalarUDFImpl for Canonical {
    fn name(&self) -> &str {
        if self.zeros { CANONICAL_FLOAT } else { CANONICAL_NAN }
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
            _ => internal_err!("{} has one argument", self.name()),
        }
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        match args.arg_fields {
            [field] => Ok(field.clone()),
            _ => internal_err!("{} has one argument", self.name()),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [value] = take_function_args(self.name(), args.args)?;
        let canonical = |array: &ArrayRef| {
            let array = canonical_nans(array)?;
            match self.zeros {
                true => one_zero(&array),
                false => Ok(array),
            }
        };
        match value {
            ColumnarValue::Array(array) => Ok(ColumnarValue::Array(canonical(&array)?)),
            ColumnarValue::Scalar(value) => {
                let array = canonical(&value.to_array()?)?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?))
            }
        }
    }
}
