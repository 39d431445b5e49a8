//! Casts to numbers and to coarser timestamps, rounded to the nearest and checked for range; casts
//! of times and nested values to text, and of text to bytes.
//!
//! DataFusion's casts truncate fractions in casts to integers, and its optimiser removes casts from
//! comparisons even where they map several values to one. It leaves functions alone.

mod bytes;
mod nested;
mod text;
mod times;
mod timestamps;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::compute::{CastOptions, cast_with_options, is_not_null};
use arrow::datatypes::{DataType, Decimal128Type, DecimalType, Field, FieldRef, Float32Type, Float64Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::error::{Error, wrap};
use crate::plan::type_in_sql;
pub(crate) use timestamps::with_seconds;

/// CAST or TRY_CAST to a type.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct NumberCast {
    to: DataType,
    /// NULL in place of an error.
    is_try: bool,
    signature: Signature,
}

impl NumberCast {
    /// Returns the function for a cast; `None` if DataFusion's own loses nothing and can't fail.
    pub fn of(from: &DataType, to: &DataType, is_try: bool) -> Option<ScalarUDF> {
        Self::new(from, to, is_try).map(ScalarUDF::from)
    }

    fn new(from: &DataType, to: &DataType, is_try: bool) -> Option<Self> {
        let is_ours = match (from, to) {
            (from, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) => {
                times::is_ours(from) || nested::is_ours(from)
            }
            (from, to) if !to.is_numeric() => timestamps::is_ours(from, to) || bytes::is_ours(from, to),
            (DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View, _) => true,
            (DataType::Float64, DataType::Float32) => true,
            (from, to) if from.is_floating() => to.is_integer() || to.is_decimal(),
            (DataType::Decimal128(..), to) if to.is_integer() => true,
            (DataType::Decimal128(..), DataType::Float64) => true,
            (&DataType::Decimal128(p1, s1), &DataType::Decimal128(p2, s2)) => {
                let whole = |precision: u8, scale: i8| i16::from(precision) - i16::from(scale);
                s2 < s1 || whole(p2, s2) < whole(p1, s1)
            }
            (from, to) if from.is_integer() && to.is_integer() => !holds(from, to),
            (from, &DataType::Decimal128(precision, scale)) if from.is_integer() => {
                i16::from(precision) - i16::from(scale) < digits(from)
            }
            _ => false,
        };
        is_ours.then(|| {
            let signature = Signature::any(1, Volatility::Immutable);
            Self { to: to.clone(), is_try, signature }
        })
    }

    /// Returns the target type.
    pub fn to(&self) -> &DataType {
        &self.to
    }

    /// Returns whether values that can't be cast become NULL.
    pub fn is_try(&self) -> bool {
        self.is_try
    }

    fn array(&self, array: &ArrayRef) -> Result<ArrayRef> {
        let options = CastOptions { safe: self.is_try, ..CastOptions::default() };
        let to = &self.to;
        let is_timestamp = matches!(to, DataType::Timestamp(..));
        Ok(match array.data_type() {
            from if times::is_ours(from) && !is_timestamp => times::write(array, to, &options)?,
            from if nested::is_ours(from) => nested::write(array, to, &options)?,
            DataType::Timestamp(..) => timestamps::round(array, to, &options)?,
            from if bytes::is_ours(from, to) => bytes::parse(array, to, &options)?,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View if is_timestamp => {
                timestamps::parse(array, to, &options)?
            }
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => text::cast(array, to, &options)?,
            DataType::Float64 if *to == DataType::Float32 => self.to_real(array)?,
            // to the nearest, halves to even
            DataType::Float64 if to.is_integer() => {
                let rounded =
                    array.as_primitive::<Float64Type>().unary::<_, Float64Type>(f64::round_ties_even);
                cast_with_options(&rounded, to, &options)?
            }
            DataType::Float32 if to.is_integer() => {
                let rounded =
                    array.as_primitive::<Float32Type>().unary::<_, Float32Type>(f32::round_ties_even);
                cast_with_options(&rounded, to, &options)?
            }
            // Arrow rounds decimals to decimals, halves away from zero, but truncates them to
            // integers
            &DataType::Decimal128(_, 1..) if to.is_integer() => {
                let rounded = cast_with_options(array, &DataType::Decimal128(38, 0), &options)?;
                cast_with_options(&rounded, to, &options)?
            }
            DataType::Decimal128(..) if *to == DataType::Float64 => to_double(array)?,
            _ => cast_with_options(array, to, &options)?,
        })
    }

    /// Casts doubles to REAL, where out of range is an error and no infinity.
    fn to_real(&self, array: &ArrayRef) -> Result<ArrayRef> {
        let doubles = array.as_primitive::<Float64Type>();
        let is_beyond = |value: f64| value.is_finite() && (value as f32).is_infinite();
        let reals = match self.is_try {
            true => doubles.unary_opt::<_, Float32Type>(|value| (!is_beyond(value)).then_some(value as f32)),
            false => match doubles.iter().flatten().find(|&value| is_beyond(value)) {
                Some(value) => return Err(self.out_of_range(&format!("{value:e}"))),
                None => doubles.unary::<_, Float32Type>(|value| value as f32),
            },
        };
        Ok(Arc::new(reals))
    }

    fn out_of_range(&self, value: &str) -> datafusion::common::DataFusionError {
        let instead = match self.to.is_binary() {
            true => "write text, with a byte as \\x00, and a backslash as \\x5C",
            false => "write TRY_CAST for NULL in its place",
        };
        wrap(Error::Execution(format!("{value} can't be cast to {}: {instead}", type_in_sql(&self.to))))
    }
}

/// Returns the double nearest to each decimal. Arrow divides the digits as a double by a power of
/// ten, which is exact only while both are.
fn to_double(array: &ArrayRef) -> Result<ArrayRef> {
    /// Bound of the integers that doubles represent exactly.
    const EXACT: u128 = 1 << f64::MANTISSA_DIGITS;
    /// The largest power of ten that a double represents exactly.
    const EXACT_POWER: i8 = 22;
    let decimals = array.as_primitive::<Decimal128Type>();
    let (precision, scale) = (decimals.precision(), decimals.scale());
    let is_exact = |value: i128| value.unsigned_abs() <= EXACT;
    if scale <= EXACT_POWER && decimals.iter().flatten().all(is_exact) {
        return Ok(cast_with_options(array, &DataType::Float64, &CastOptions::default())?);
    }
    let nearest = |value: i128| {
        let text = Decimal128Type::format_decimal(value, precision, scale);
        text.parse().map_err(|_| wrap(Error::Internal(format!("{text} is no number"))))
    };
    Ok(Arc::new(decimals.try_unary::<_, Float64Type, _>(nearest)?))
}

/// Returns whether an integer type holds every value of another one.
fn holds(from: &DataType, to: &DataType) -> bool {
    let bits = |found: &DataType| found.primitive_width().unwrap_or_default();
    match (from.is_signed_integer(), to.is_signed_integer()) {
        (true, false) => false,
        (false, true) => bits(to) > bits(from),
        _ => bits(to) >= bits(from),
    }
}

/// Returns the most digits of an integer type.
fn digits(whole: &DataType) -> i16 {
    match whole {
        DataType::Int8 | DataType::UInt8 => 3,
        DataType::Int16 | DataType::UInt16 => 5,
        DataType::Int32 | DataType::UInt32 => 10,
        DataType::Int64 => 19,
        _ => 20,
    }
}

impl ScalarUDFImpl for NumberCast {
    fn name(&self) -> &str {
        if self.is_try { "try_cast" } else { "cast" }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Returns the name of the operand, as DataFusion does for a cast.
    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        Ok(args.first().map_or_else(|| self.name().to_owned(), |value| value.schema_name().to_string()))
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.to.clone())
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let nullable = self.is_try || args.arg_fields.iter().any(|field| field.is_nullable());
        Ok(Arc::new(Field::new(self.name(), self.to.clone(), nullable)))
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [value] = args.args.as_slice() else {
            return Err(wrap(Error::Internal(format!("a cast of {} values", args.args.len()))));
        };
        match value {
            ColumnarValue::Array(array) => self.array(array).map(ColumnarValue::Array).map_err(|error| {
                let one = self.first_failure(array);
                one.map_or(error, |value| self.out_of_range(&value))
            }),
            ColumnarValue::Scalar(one) => {
                let array = one.to_array()?;
                let cast = self.array(&array).map_err(|_| self.out_of_range(&shown(one)))?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&cast, 0)?))
            }
        }
    }
}

impl NumberCast {
    /// Returns the first value that can't be cast, as text.
    fn first_failure(&self, array: &ArrayRef) -> Option<String> {
        let safe = Self { to: self.to.clone(), is_try: true, signature: self.signature.clone() };
        let cast = safe.array(array).ok()?;
        let is_there: BooleanArray = is_not_null(array).ok()?;
        let index = (0..array.len()).find(|&row| is_there.value(row) && cast.is_null(row))?;
        ScalarValue::try_from_array(array, index).ok().map(|value| shown(&value))
    }
}

/// Returns a value in SQL notation, shortened if it is long.
fn shown(value: &ScalarValue) -> String {
    const LONGEST: usize = 40;
    match value {
        ScalarValue::Utf8(Some(text))
        | ScalarValue::LargeUtf8(Some(text))
        | ScalarValue::Utf8View(Some(text)) => {
            let cut: String = text.chars().take(LONGEST).collect();
            let more = if cut.len() < text.len() { "..." } else { "" };
            format!("'{}{more}'", in_one_line(&cut))
        }
        ScalarValue::Decimal128(Some(value), precision, scale) => {
            Decimal128Type::format_decimal(*value, *precision, *scale)
        }
        ScalarValue::Float64(Some(value)) => format!("{value:?}"),
        other => other.to_string(),
    }
}

/// Returns text as SQL has it, with escapes for line ends and the like.
fn in_one_line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\'' => shown.push_str("''"),
            letter if letter.is_control() => shown.extend(letter.escape_debug()),
            letter => shown.push(letter),
        }
    }
    shown
}

#[cfg(test)]
mod tests;
