use arrow::array::{Array, ArrayRef, AsArray, Decimal128Array, Int8Array, UInt8Array};
use arrow::datatypes::{Int8Type, UInt8Type};
use datafusion::common::ScalarValue;
use datafusion::common::config::ConfigOptions;

use super::*;

const OPERATORS: [Operator; 3] = [Operator::Plus, Operator::Minus, Operator::Multiply];

fn call(function: &ScalarUDF, args: Vec<ColumnarValue>, rows: usize) -> Result<ArrayRef> {
    let field = |value: &ColumnarValue| Arc::new(Field::new("x", value.data_type(), true));
    let arg_fields: Vec<FieldRef> = args.iter().map(field).collect();
    let types: Vec<DataType> = args.iter().map(ColumnarValue::data_type).collect();
    let return_field = Arc::new(Field::new("y", function.inner().return_type(&types)?, true));
    let config_options = Arc::new(ConfigOptions::default());
    let args = ScalarFunctionArgs { args, arg_fields, number_rows: rows, return_field, config_options };
    function.invoke_with_args(args)?.into_array(rows)
}

fn binary(op: Operator, args: [&ColumnarValue; 2], rows: usize) -> Result<ArrayRef> {
    let function = Arithmetic::of(&args[0].data_type(), op, &args[1].data_type()).expect("such arithmetic");
    call(&function, args.map(Clone::clone).to_vec(), rows)
}

/// Decimals around every boundary that the arithmetic has: zero, 64 bits, 38 digits.
fn values() -> Vec<i128> {
    let edges = [0, 1, 99, i64::MAX as i128, 10i128.pow(38) / 2, 10i128.pow(38) - 2];
    let around = edges.into_iter().flat_map(|edge| [edge - 1, edge, edge + 1]);
    around.flat_map(|value| [value, -value]).collect()
}

fn decimals(values: &[Option<i128>], scale: i8) -> ColumnarValue {
    let array: Decimal128Array = values.iter().copied().collect();
    ColumnarValue::Array(Arc::new(array.with_precision_and_scale(38, scale).expect("valid")))
}

#[test]
fn decimals_are_as_arrow_computes_them_or_an_error() {
    let (mut narrow, mut failed) = (0, 0);
    for (scale_a, scale_b) in [(2, 2), (0, 2), (2, 0), (4, 2), (0, 20), (30, 18), (-2, 3)] {
        for a in values() {
            for b in values() {
                let left = decimals(&[Some(a), Some(-3), None, Some(5)], scale_a);
                let right = decimals(&[Some(7), None, Some(b), Some(b)], scale_b);
                let constant = ColumnarValue::Scalar(ScalarValue::Decimal128(Some(b), 38, scale_b));
                for (op, right) in OPERATORS.iter().flat_map(|op| [(*op, &right), (*op, &constant)]) {
                    // a product of too many decimal places has no type, and is left to Arrow to
                    // refuse
                    if Arithmetic::of(&left.data_type(), op, &right.data_type()).is_none() {
                        assert!(op == Operator::Multiply && scale_a + scale_b > 38, "{op}");
                        continue;
                    }
                    let kernel = match op {
                        Operator::Plus => add,
                        Operator::Minus => sub,
                        _ => mul,
                    };
                    let expected = apply(&left, right, kernel).and_then(|value| value.into_array(4));
                    let expected = expected.ok().filter(|expected| {
                        let values = expected.as_primitive::<arrow::datatypes::Decimal128Type>();
                        values.iter().flatten().all(decimals::is_decimal)
                    });
                    let found = binary(op, [&left, right], 4);
                    let context = format!("{left:?} {op} {right:?}");
                    match expected {
                        Some(expected) => assert_eq!(&found.expect(&context), &expected, "{context}"),
                        None => {
                            found.expect_err(&context);
                            failed += 1;
                        }
                    }
                    let result = Arithmetic::of(&left.data_type(), op, &right.data_type()).expect("decimals");
                    let result = result.inner().return_type(&[]).expect("a type");
                    narrow += usize::from(narrow_decimals::arithmetic(&left, op, right, &result).is_some());
                }
            }
        }
    }
    assert!(narrow > 1000 && failed > 1000, "{narrow} were computed in 64 bits, {failed} failed");
}

#[test]
fn bytes_are_exact_or_an_error() {
    let signed = |value| ColumnarValue::Array(Arc::new(Int8Array::from(vec![value, 1])) as ArrayRef);
    let unsigned = |value| ColumnarValue::Array(Arc::new(UInt8Array::from(vec![value, 1])) as ArrayRef);
    for a in 0..=u8::MAX {
        for b in 0..=u8::MAX {
            let (x, y) = (a as i8, b as i8);
            for (index, op) in OPERATORS.into_iter().enumerate() {
                let expected = [x.checked_add(y), x.checked_sub(y), x.checked_mul(y)][index];
                let found = binary(op, [&signed(x), &signed(y)], 2).ok();
                assert_eq!(found.map(|f| f.as_primitive::<Int8Type>().value(0)), expected, "{x} {op} {y}");
                let constant = ColumnarValue::Scalar(ScalarValue::UInt8(Some(b)));
                let expected = [a.checked_add(b), a.checked_sub(b), a.checked_mul(b)][index];
                let rest = [1u8.checked_add(b), 1u8.checked_sub(b), 1u8.checked_mul(b)][index];
                let found = binary(op, [&unsigned(a), &constant], 2).ok();
                let found = found.map(|f| f.as_primitive::<UInt8Type>().value(0));
                assert_eq!(found, expected.filter(|_| rest.is_some()), "{a} {op} {b}");
            }
        }
        let function = Arithmetic::negate(&DataType::Int8).expect("signed");
        let found = call(&function, vec![signed(a as i8)], 2).ok();
        let found = found.map(|f| f.as_primitive::<Int8Type>().value(0));
        assert_eq!(found, (a as i8).checked_neg(), "{a}");
    }
}

#[test]
fn what_lies_under_a_null_is_no_overflow() {
    let nulls = arrow::buffer::NullBuffer::from(vec![true, false]);
    let under = Int8Array::new(vec![1, i8::MAX].into(), Some(nulls));
    let (left, one) = (ColumnarValue::Array(Arc::new(under)), ScalarValue::Int8(Some(1)));
    let found = binary(Operator::Plus, [&left, &ColumnarValue::Scalar(one)], 2).expect("no overflow");
    assert!(found.as_primitive::<Int8Type>().value(0) == 2 && found.is_null(1));
}

#[test]
fn an_overflow_names_the_operation_and_what_to_write() {
    let max = ColumnarValue::Scalar(ScalarValue::Int64(Some(i64::MAX)));
    let error = binary(Operator::Plus, [&max, &max], 1).expect_err("too large").strip_backtrace();
    let expected =
        "9223372036854775807 + 9223372036854775807 overflows BIGINT: write CAST(... AS DECIMAL(38, 0))";
    assert!(error.contains(expected), "{error}");
    assert!(Arithmetic::of(&DataType::Float64, Operator::Plus, &DataType::Float64).is_none());
    assert!(Arithmetic::of(&DataType::Int64, Operator::Divide, &DataType::Int64).is_none());
    assert!(Arithmetic::negate(&DataType::UInt8).is_none());
}

#[test]
fn quotients_are_rounded_away_from_zero_at_halves() {
    for (dividend, divisor, expected) in [
        (Some(1), Some(3), Some(3333)),
        (Some(2), Some(3), Some(6667)),
        (Some(-2), Some(3), Some(-6667)),
        (Some(1), Some(-16), Some(-625)),
        (Some(1), Some(32), Some(313)),
        (Some(-1), Some(32), Some(-313)),
        (None, Some(3), None),
    ] {
        let (left, right) = (decimals(&[dividend], 0), decimals(&[divisor], 0));
        let constant = ColumnarValue::Scalar(ScalarValue::Decimal128(divisor, 38, 0));
        for right in [&right, &constant] {
            let found = binary(Operator::Divide, [&left, right], 1).expect("a quotient");
            let found = found.as_primitive::<arrow::datatypes::Decimal128Type>();
            assert_eq!(found.iter().next().flatten(), expected, "{dividend:?} / {divisor:?}");
        }
    }
    let error = binary(Operator::Divide, [&decimals(&[Some(1)], 0), &decimals(&[Some(0)], 0)], 1);
    assert!(error.expect_err("no number").strip_backtrace().contains("Divide by zero"));
}
