//! Corrections of DataFusion's functions: no false order of results, empty batches, elements of
//! other types, negative lengths, and doubles for floats.

#[cfg(test)]
mod tests;

use std::any::Any;
use std::sync::Arc;

use arrow::array::{Array, AsArray, new_empty_array};
use arrow::datatypes::{DataType, FieldRef, Int64Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::preimage::PreimageResult;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, Expr, ExpressionPlacement, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, TypeSignature, Volatility,
};

use super::elements::{FIND_ELEMENTS, coerced, without_nulls};
use crate::error::{Error, wrap};

/// Functions for which DataFusion wrongly claims that results have the order of the arguments, or
/// fails for want of a range: a logarithm to a base below 1 falls, and a NaN is greater than all
/// numbers.
const UNORDERED: [&str; 10] = ["abs", "acos", "acosh", "asin", "atanh", "ln", "log", "log10", "log2", "sqrt"];

/// Functions with results of type DOUBLE. DataFusion's return a REAL for a REAL.
pub(super) const DOUBLES: [&str; 23] = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "cot", "degrees",
    "exp", "ln", "log", "log10", "log2", "radians", "sin", "sinh", "sqrt", "tan", "tanh",
];

/// Functions that panic over an empty batch, or return a row for it.
const FAIL_OVER_NO_ROWS: [&str; 6] =
    ["array_max", "array_min", "array_positions", "ceil", "floor", "to_char"];

/// Functions that panic for a negative length, their second argument.
const PADDING: [&str; 2] = ["lpad", "rpad"];

/// Returns the corrected form of a function; `None` if it needs none.
pub(crate) fn corrected(function: &Arc<ScalarUDF>) -> Option<Arc<ScalarUDF>> {
    let implementation: &dyn Any = function.inner().as_ref();
    let name = function.name();
    let (finds, is_double) = (FIND_ELEMENTS.contains(&name), DOUBLES.contains(&name));
    let is_meant = UNORDERED.contains(&name)
        || FAIL_OVER_NO_ROWS.contains(&name)
        || PADDING.contains(&name)
        || matches!(name, "date_part" | "date_bin")
        || finds
        || is_double;
    let corrected = || {
        let signature = match finds {
            true => Signature::user_defined(Volatility::Immutable),
            false if is_double => doubles(name),
            false => function.signature().clone(),
        };
        Arc::new(ScalarUDF::from(Corrected { inner: function.clone(), signature }))
    };
    (is_meant && !implementation.is::<Corrected>()).then(corrected)
}

/// Returns the signature of a function of doubles.
fn doubles(name: &str) -> Signature {
    let of = |count| TypeSignature::Uniform(count, vec![DataType::Float64]);
    let signatures = match name {
        "log" => vec![of(1), of(2)],
        "atan2" => vec![of(2)],
        _ => vec![of(1)],
    };
    Signature::one_of(signatures, Volatility::Immutable)
}

/// Returns the range of arguments, unless a bound of it is NULL.
pub(super) fn bounded(range: PreimageResult) -> PreimageResult {
    match range {
        PreimageResult::Range { interval, .. }
            if interval.lower().is_null() || interval.upper().is_null() =>
        {
            PreimageResult::None
        }
        other => other,
    }
}

/// Returns lengths with zero for those below it.
fn not_negative(length: &ColumnarValue) -> Result<ColumnarValue> {
    let length = length.cast_to(&DataType::Int64, None)?;
    Ok(match length {
        ColumnarValue::Scalar(ScalarValue::Int64(Some(length))) => {
            ColumnarValue::Scalar(ScalarValue::from(length.max(0)))
        }
        ColumnarValue::Array(lengths) => {
            let lengths = lengths.as_primitive::<Int64Type>();
            ColumnarValue::Array(Arc::new(lengths.unary::<_, Int64Type>(|length| length.max(0))))
        }
        null => null,
    })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Corrected {
    inner: Arc<ScalarUDF>,
    signature: Signature,
}

impl ScalarUDFImpl for Corrected {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        self.inner.schema_name(args)
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        self.inner.return_field_from_args(args)
    }

    fn is_strict(&self) -> bool {
        self.inner.inner().is_strict()
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        if args.number_rows == 0 {
            if args.args.iter().any(|value| matches!(value, ColumnarValue::Array(_))) {
                return Ok(ColumnarValue::Array(new_empty_array(args.return_type())));
            }
            // a call with constant arguments has one value for all rows
            args.number_rows = 1;
        }
        if self.name() == "array_has_any"
            && let Some(others) = args.args.get_mut(1)
        {
            *others = without_nulls(others)?;
        }
        if PADDING.contains(&self.name())
            && let Some(length) = args.args.get_mut(1)
        {
            *length = not_negative(length)?;
        }
        if self.name() != "date_bin" {
            return self.inner.invoke_with_args(args);
        }
        let nulls = |value: &ColumnarValue| match value {
            ColumnarValue::Array(array) => array.null_count(),
            ColumnarValue::Scalar(value) => usize::from(value.is_null()),
        };
        let before: Vec<_> = args.args.iter().map(nulls).collect();
        let binned = self.inner.invoke_with_args(args)?;
        match before.as_slice() {
            [0, times, rest @ ..] if rest.iter().all(|nulls| *nulls == 0) && nulls(&binned) > *times => {
                Err(wrap(Error::Execution(
                    "date_bin takes timestamps of the years 1677 to 2262: leave out others with WHERE"
                        .to_owned(),
                )))
            }
            _ => Ok(binned),
        }
    }

    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        self.inner.simplify(args, info)
    }

    /// Returns the range of arguments, unless a bound of it is NULL because the argument's type
    /// can't hold it.
    fn preimage(&self, args: &[Expr], literal: &Expr, info: &SimplifyContext) -> Result<PreimageResult> {
        self.inner.preimage(args, literal, info).map(bounded)
    }

    fn evaluate_bounds(&self, inputs: &[&Interval]) -> Result<Interval> {
        self.inner.evaluate_bounds(inputs)
    }

    fn propagate_constraints(
        &self,
        interval: &Interval,
        inputs: &[&Interval],
    ) -> Result<Option<Vec<Interval>>> {
        self.inner.propagate_constraints(interval, inputs)
    }

    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        match UNORDERED.contains(&self.name()) || self.name() == "date_part" {
            true => Ok(SortProperties::Unordered),
            false => self.inner.output_ordering(inputs),
        }
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        match FIND_ELEMENTS.contains(&self.name()) {
            true => coerced(&self.inner, types),
            false => self.inner.coerce_types(types),
        }
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }

    fn placement(&self, args: &[ExpressionPlacement]) -> ExpressionPlacement {
        self.inner.placement(args)
    }
}
