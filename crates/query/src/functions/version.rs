//! `version()`: the version of Pelton, and of DataFusion after it.

use arrow::datatypes::DataType;
use datafusion::DATAFUSION_VERSION;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// Returns the function.
pub(super) fn version() -> ScalarUDF {
    ScalarUDF::from(Version { signature: Signature::nullary(Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Version {
    signature: Signature,
}

impl ScalarUDFImpl for Version {
    fn name(&self) -> &str {
        "version"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let text = format!("Pelton {} (DataFusion {DATAFUSION_VERSION})", env!("CARGO_PKG_VERSION"));
        Ok(ColumnarValue::Scalar(ScalarValue::Utf8(Some(text))))
    }
}
