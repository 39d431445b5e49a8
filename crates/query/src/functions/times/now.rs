//! `now()` in microseconds, as TIMESTAMPTZ is.

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility, lit,
};

use crate::error::{Error, wrap};

/// Returns the function.
pub(in crate::functions) fn now() -> ScalarUDF {
    let aliases = vec!["current_timestamp".to_owned()];
    ScalarUDF::from(Now { signature: Signature::nullary(Volatility::Stable), aliases })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Now {
    signature: Signature,
    aliases: Vec<String>,
}

impl ScalarUDFImpl for Now {
    fn name(&self) -> &str {
        "now"
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())))
    }

    /// Returns the moment at which the query was planned, wherever the function stands in it.
    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        let Some(now) = info.query_execution_start_time() else {
            return Ok(ExprSimplifyResult::Original(args));
        };
        let now = ScalarValue::TimestampMicrosecond(Some(now.timestamp_micros()), Some("UTC".into()));
        Ok(ExprSimplifyResult::Simplified(lit(now)))
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Err(wrap(Error::Internal("now() was left in a plan".to_owned())))
    }
}
