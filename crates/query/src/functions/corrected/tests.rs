//! Calls of every function over empty batches.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow::datatypes::Field;
use datafusion::common::ScalarValue;
use datafusion::common::config::ConfigOptions;
use datafusion::execution::SessionStateBuilder;
use datafusion::logical_expr::type_coercion::functions::fields_with_udf;

use super::*;

/// Values of the types that functions accept. The ones in front occur in more combinations.
fn values() -> Vec<ScalarValue> {
    let list = |value: ScalarValue| {
        let data_type = value.data_type();
        ScalarValue::List(ScalarValue::new_list_nullable(&[value], &data_type))
    };
    let text = || ScalarValue::Utf8(Some("a".to_owned()));
    vec![
        ScalarValue::Int64(Some(1)),
        text(),
        ScalarValue::Decimal128(Some(-196), 5, 2),
        ScalarValue::TimestampMicrosecond(Some(1), None),
        list(ScalarValue::Int64(Some(1))),
        list(text()),
        ScalarValue::Float64(Some(1.5)),
        ScalarValue::Date32(Some(1)),
        ScalarValue::Time64Microsecond(Some(1)),
        ScalarValue::Binary(Some(vec![65])),
        ScalarValue::Boolean(Some(true)),
        ScalarValue::IntervalMonthDayNano(Some(Default::default())),
    ]
}

/// Returns all lists of `count` arguments, each one of the values.
fn arguments(count: u32) -> Vec<Vec<ScalarValue>> {
    let values = values();
    let kinds = if count < 3 { values.len() } else { 6 };
    let pick = |combination: usize| {
        (0..count).map(|at| values[combination / kinds.pow(at) % kinds].clone()).collect()
    };
    (0..kinds.pow(count)).map(pick).collect()
}

/// Calls a function with constants where `is_array` is false, and arrays of no rows else.
fn call(
    function: &ScalarUDF,
    values: &[ScalarValue],
    rows: usize,
    is_array: impl Fn(usize) -> bool,
) -> Result<ColumnarValue> {
    let given: Vec<FieldRef> =
        values.iter().map(|value| Arc::new(Field::new("a", value.data_type(), true))).collect();
    let fields = fields_with_udf(&given, function)?;
    let cast = values.iter().zip(&fields).enumerate().map(|(at, (value, field))| match is_array(at) {
        true => Ok(ColumnarValue::Array(new_empty_array(field.data_type()))),
        false => value.cast_to(field.data_type()).map(ColumnarValue::Scalar),
    });
    let args = cast.collect::<Result<Vec<_>>>()?;
    let constants: Vec<Option<&ScalarValue>> = args
        .iter()
        .map(|value| match value {
            ColumnarValue::Scalar(value) => Some(value),
            ColumnarValue::Array(_) => None,
        })
        .collect();
    let return_field = function
        .return_field_from_args(ReturnFieldArgs { arg_fields: &fields, scalar_arguments: &constants })?;
    function.invoke_with_args(ScalarFunctionArgs {
        args,
        arg_fields: fields,
        number_rows: rows,
        return_field,
        config_options: Arc::new(ConfigOptions::default()),
    })
}

#[test]
fn every_function_takes_a_batch_of_no_rows() {
    let state = SessionStateBuilder::new().with_default_features().build();
    let mut failed = Vec::new();
    for function in state.scalar_functions().values() {
        let function = corrected(function).unwrap_or_else(|| function.clone());
        for values in (1..=3).flat_map(arguments) {
            // errors of arguments that are none of its own
            let one_row = catch_unwind(AssertUnwindSafe(|| call(&function, &values, 1, |_| false)));
            if !matches!(one_row, Ok(Ok(_))) {
                continue;
            }
            let last = values.len() - 1;
            let arrays: [&dyn Fn(usize) -> bool; 4] =
                [&|_| false, &|_| true, &|at| at == 0, &|at| at == last];
            for (kind, is_array) in arrays.into_iter().enumerate() {
                let result = catch_unwind(AssertUnwindSafe(|| call(&function, &values, 0, is_array)));
                let is_right = match &result {
                    Ok(Ok(ColumnarValue::Array(array))) => kind == 0 || array.is_empty(),
                    Ok(Ok(ColumnarValue::Scalar(_))) => true,
                    // some arguments have to be constants
                    Ok(Err(error)) => {
                        error.to_string().contains("constant") || error.to_string().contains("literal")
                    }
                    Err(_) => false,
                };
                if !is_right {
                    failed.push(format!("{} {kind} {values:?}: {result:?}", function.name()));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
