use datafusion::common::config::ConfigOptions;

use super::*;

fn cast(value: ScalarValue, to: &DataType, is_try: bool) -> Result<ScalarValue> {
    let from = value.data_type();
    let function = NumberCast::of(&from, to, is_try).expect("a cast that loses something");
    let args = ScalarFunctionArgs {
        args: vec![ColumnarValue::Scalar(value)],
        arg_fields: vec![Arc::new(Field::new("x", from, true))],
        number_rows: 1,
        return_field: Arc::new(Field::new("y", to.clone(), true)),
        config_options: Arc::new(ConfigOptions::default()),
    };
    match function.invoke_with_args(args)? {
        ColumnarValue::Scalar(value) => Ok(value),
        ColumnarValue::Array(array) => ScalarValue::try_from_array(&array, 0),
    }
}

#[test]
fn halves_of_doubles_go_to_the_even_number_and_of_decimals_away_from_zero() {
    for (double, decimal, expected) in [(1.5, 2, 2), (2.5, 3, 2), (-2.5, -3, -2), (0.5, 1, 0), (-1.5, -2, -2)]
    {
        let to = DataType::Int32;
        let found = cast(ScalarValue::Float64(Some(double)), &to, false).expect("in range");
        assert_eq!(found, ScalarValue::Int32(Some(expected)), "{double}");
        let value = ScalarValue::Decimal128(Some((double * 10.0) as i128), 3, 1);
        assert_eq!(cast(value, &to, false).expect("in range"), ScalarValue::Int32(Some(decimal)), "{double}");
    }
}

#[test]
fn a_value_out_of_range_is_an_error_or_null() {
    let text = |text: &str| ScalarValue::Utf8View(Some(text.to_owned()));
    for (value, to, shown) in [
        (ScalarValue::Float64(Some(f64::NAN)), DataType::Int64, "NaN"),
        (ScalarValue::Float64(Some(9.3e18)), DataType::Int64, "9.3e18"),
        (ScalarValue::Float64(Some(1e300)), DataType::Float32, "1e300"),
        (ScalarValue::Int64(Some(-1)), DataType::UInt64, "-1"),
        (ScalarValue::Int32(Some(300)), DataType::Int8, "300"),
        (ScalarValue::Int64(Some(1000)), DataType::Decimal128(5, 2), "1000"),
        (ScalarValue::Decimal128(Some(99995), 5, 2), DataType::Decimal128(4, 1), "999.95"),
        (text("12abc"), DataType::Int32, "'12abc'"),
        (text("300.4"), DataType::Int8, "'300.4'"),
        (text(""), DataType::Int64, "''"),
    ] {
        let error = cast(value.clone(), &to, false).expect_err(shown).strip_backtrace();
        assert!(error.contains(shown) && error.contains("TRY_CAST"), "{error}");
        assert!(cast(value, &to, true).expect("no error").is_null(), "{shown}");
    }
    let found = cast(text(" 12.5 "), &DataType::Int64, false).expect("a number");
    assert_eq!(found, ScalarValue::Int64(Some(13)));
}

#[test]
fn casts_that_lose_nothing_are_left_to_datafusion() {
    for (from, to) in [
        (DataType::Int32, DataType::Int64),
        (DataType::UInt32, DataType::Int64),
        (DataType::Int64, DataType::Float64),
        (DataType::Int64, DataType::Decimal128(19, 0)),
        (DataType::Decimal128(5, 2), DataType::Decimal128(6, 3)),
        (DataType::Utf8, DataType::Date32),
        (DataType::Float64, DataType::Utf8),
    ] {
        assert!(NumberCast::of(&from, &to, false).is_none(), "{from} to {to}");
    }
}

#[test]
fn doubles_become_decimals_with_halves_away_from_zero() {
    for (double, expected) in [(0.125, 13), (-0.125, -13), (1.0, 100), (0.124, 12)] {
        let to = DataType::Decimal128(5, 2);
        let found = cast(ScalarValue::Float64(Some(double)), &to, false).expect("in range");
        assert_eq!(found, ScalarValue::Decimal128(Some(expected), 5, 2), "{double}");
    }
}
