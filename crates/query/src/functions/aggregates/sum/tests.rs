use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Decimal128Array, Int64Array, UInt64Array};
use arrow::datatypes::Int64Type;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::EmitTo;

use super::*;

fn whole() -> Limit {
    Limit::new(DataType::Int64, "sum(t.a)".to_owned())
}

fn array(values: &[Option<i64>]) -> ArrayRef {
    Arc::new(values.iter().copied().collect::<Int64Array>())
}

#[test]
fn a_total_that_fits_is_found_whatever_the_order() {
    let mut total = Total::new(whole());
    total.update_batch(&[array(&[Some(i64::MAX), None, Some(i64::MAX)])]).expect("numbers");
    let state = total.state().expect("a state")[0].to_array().expect("an array");
    let mut merged = Total::new(whole());
    merged.merge_batch(&[state]).expect("states");
    let error = merged.evaluate().expect_err("too large").strip_backtrace();
    assert!(error.contains("sum(t.a) is 18446744073709551614, which overflows BIGINT"), "{error}");
    assert!(error.contains("write sum(CAST(... AS DECIMAL(38, 0)))"), "{error}");
    merged.update_batch(&[array(&[Some(-i64::MAX), Some(-5)])]).expect("numbers");
    assert_eq!(merged.evaluate().expect("it fits"), ScalarValue::Int64(Some(i64::MAX - 5)));
    merged.retract_batch(&[array(&[Some(i64::MAX), None])]).expect("numbers");
    assert_eq!(merged.evaluate().expect("it fits"), ScalarValue::Int64(Some(-5)));
}

#[test]
fn no_values_are_null() {
    for mut accumulator in
        [Box::new(Total::new(whole())) as Box<dyn Accumulator>, Box::new(DistinctTotal::new(whole()))]
    {
        assert_eq!(accumulator.evaluate().expect("null"), ScalarValue::Int64(None));
        accumulator.update_batch(&[array(&[None, None])]).expect("nulls");
        assert_eq!(accumulator.evaluate().expect("null"), ScalarValue::Int64(None));
        accumulator.update_batch(&[array(&[Some(3), Some(3), Some(4)])]).expect("numbers");
        accumulator.retract_batch(&[array(&[Some(3), Some(4)])]).expect("numbers");
        assert_eq!(accumulator.evaluate().expect("a number"), ScalarValue::Int64(Some(3)));
        accumulator.retract_batch(&[array(&[Some(3)])]).expect("numbers");
        assert_eq!(accumulator.evaluate().expect("null"), ScalarValue::Int64(None));
    }
}

#[test]
fn groups_are_totals_of_their_own() {
    let mut groups = GroupTotals::new(whole());
    let values = array(&[Some(i64::MAX), Some(1), None, Some(1), Some(7)]);
    let filter = BooleanArray::from(vec![Some(true), Some(true), Some(true), Some(true), None]);
    groups.update_batch(std::slice::from_ref(&values), &[0, 1, 2, 0, 1], Some(&filter), 3).expect("numbers");
    let state = groups.convert_to_state(&[values], Some(&filter)).expect("a state");
    let mut merged = GroupTotals::new(whole());
    merged.merge_batch(&state, &[0, 1, 2, 0, 1], 3).expect("states");
    merged.merge_batch(&[array(&[Some(-1)])], &[0], 3).expect("states");
    let state = merged.state(EmitTo::First(1)).expect("a state");
    let mut first = GroupTotals::new(whole());
    first.merge_batch(&state, &[0], 1).expect("states");
    let found = first.evaluate(EmitTo::All).expect("it fits");
    assert_eq!(found.as_primitive::<Int64Type>().value(0), i64::MAX);
    let rest = merged.evaluate(EmitTo::All).expect("it fits");
    let rest = rest.as_primitive::<Int64Type>();
    assert!(rest.value(0) == 1 && rest.is_null(1), "{rest:?}");
    let error = groups.evaluate(EmitTo::All).expect_err("too large").strip_backtrace();
    assert!(error.contains("9223372036854775808, which overflows BIGINT"), "{error}");
}

#[test]
fn distinct_values_count_once() {
    let mut total = DistinctTotal::new(Limit::new(DataType::UInt64, "sum(DISTINCT t.a)".to_owned()));
    let values: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX, u64::MAX, 0]));
    total.update_batch(&[values]).expect("numbers");
    assert_eq!(total.evaluate().expect("it fits"), ScalarValue::UInt64(Some(u64::MAX)));
    let state = total.state().expect("a state")[0].to_array().expect("an array");
    let mut merged = DistinctTotal::new(Limit::new(DataType::UInt64, "sum(DISTINCT t.a)".to_owned()));
    merged.merge_batch(&[state]).expect("states");
    merged.update_batch(&[Arc::new(UInt64Array::from(vec![1]))]).expect("numbers");
    let error = merged.evaluate().expect_err("too large").strip_backtrace();
    assert!(error.contains("overflows BIGINT UNSIGNED"), "{error}");
}

#[test]
fn decimals_have_38_digits() {
    let nines = 10i128.pow(37) - 1;
    let values = |count: usize| {
        let array = Decimal128Array::from(vec![nines; count]).with_precision_and_scale(38, 0).expect("valid");
        Arc::new(array) as ArrayRef
    };
    let limit = Limit::new(DataType::Decimal128(38, 0), "sum(t.d)".to_owned());
    for (count, fits) in [(10, true), (11, false), (17, false), (18, false), (40, false)] {
        let mut total = Total::new(limit.clone());
        let one = total.update_batch(&[values(count)]).and_then(|()| total.evaluate());
        let mut groups = GroupTotals::new(limit.clone());
        let many = groups.update_batch(&[values(count)], &vec![0; count], None, 1);
        let many = many.and_then(|()| groups.evaluate(EmitTo::All));
        assert_eq!((one.is_ok(), many.is_ok()), (fits, fits), "{count}");
        for error in one.err().into_iter().chain(many.err()) {
            let error = error.strip_backtrace();
            assert!(error.contains("sum(t.d) has more digits than DECIMAL(38,0)"), "{error}");
        }
    }
}
