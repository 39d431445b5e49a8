use std::collections::HashMap;

use arrow::array::{ArrayRef, Int64Array};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{Field, Int64Type, Schema};
use datafusion::physical_expr::expressions::Column;
use pelton_random::Random;

use super::*;

const TYPES: [DataType; 9] = [
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
    DataType::UInt8,
    DataType::UInt16,
    DataType::UInt32,
    DataType::UInt64,
    DataType::Date32,
];

/// Returns numbers around 0 as a column of a type; those that it has not, and some others, are
/// null.
fn column(random: &mut Random, spread: usize, count: usize, to: &DataType) -> ArrayRef {
    let number = |random: &mut Random| random.below(2 * spread) as i64 - spread as i64;
    let numbers: Int64Array = (0..count).map(|_| (random.below(9) > 0).then(|| number(random))).collect();
    let numbers: ArrayRef = match to {
        DataType::Date32 => {
            cast_with_options(&numbers, &DataType::Int32, &CastOptions::default()).expect("numbers")
        }
        _ => Arc::new(numbers),
    };
    cast_with_options(&numbers, to, &CastOptions::default()).expect("numbers")
}

fn values(array: &ArrayRef) -> Vec<Option<i64>> {
    let array = match array.data_type() {
        DataType::Date32 => {
            cast_with_options(array, &DataType::Int32, &CastOptions::default()).expect("numbers")
        }
        _ => array.clone(),
    };
    let numbers = cast_with_options(&array, &DataType::Int64, &CastOptions::default()).expect("numbers");
    numbers.as_primitive::<Int64Type>().iter().collect()
}

#[test]
fn each_type_numbers_its_keys_in_the_order_of_their_first_rows() {
    let mut random = Random::new(42);
    for data_type in TYPES {
        for (spread, count) in [(3, 10), (70, 40), (100, 0), (5000, 300), (40_000_000, 2000)] {
            let keys = column(&mut random, spread, count, &data_type);
            let (table, numbers) = KeyTable::new(&keys).expect("a type of keys");
            let mut expected = HashMap::new();
            let mut first_rows = Vec::new();
            for (row, key) in values(&keys).into_iter().enumerate() {
                let number = key.map_or(NO_KEY, |key| {
                    *expected.entry(key).or_insert_with(|| {
                        first_rows.push(row as u32);
                        first_rows.len() as u32 - 1
                    })
                });
                assert_eq!(numbers[row], number, "{data_type}, row {row}");
            }
            assert_eq!(table.first_rows(), first_rows);
            assert!(table.bytes() <= KeyTable::most_bytes(count) + (1 << 16));

            let probed = column(&mut random, 2 * spread, 4000, &data_type);
            let mut found = Vec::new();
            table.find(&probed, &mut found).expect("the same type");
            let number = |key: Option<i64>| key.and_then(|key| expected.get(&key)).copied().unwrap_or(NO_KEY);
            let expected: Vec<u32> = values(&probed).into_iter().map(number).collect();
            assert_eq!(found, expected, "{data_type}");
            assert_eq!(tested(&table.into(), probed), expected);
        }
    }
}

/// Checks the condition on a column: it holds where a value is a key. Returns `found` if so.
fn tested(table: &Arc<KeyTable>, values: ArrayRef) -> Vec<u32> {
    let schema = Arc::new(Schema::new(vec![Field::new("k", values.data_type().clone(), true)]));
    let key: Arc<dyn PhysicalExpr> = Arc::new(Column::new("k", 0));
    let condition = table.condition(&key, &schema).expect("a condition");
    let mut found = Vec::new();
    table.find(&values, &mut found).expect("the same type");
    let batch = RecordBatch::try_new(schema, vec![values]).expect("one column");
    let holds = condition.evaluate(&batch).and_then(|holds| holds.into_array(found.len())).expect("rows");
    let holds = holds.as_boolean();
    for (row, &number) in found.iter().enumerate() {
        assert_eq!(holds.is_valid(row) && holds.value(row), number != NO_KEY, "row {row}");
    }
    found
}

#[test]
fn the_ends_of_a_type_are_keys() {
    let ends: ArrayRef = Arc::new(Int64Array::from(vec![Some(i64::MAX), None, Some(i64::MIN), Some(0)]));
    let (table, numbers) = KeyTable::new(&ends).expect("numbers");
    assert_eq!(numbers, [0, NO_KEY, 1, 2]);
    let probed: ArrayRef = Arc::new(Int64Array::from(vec![-1, 0, 1, i64::MIN, i64::MAX]));
    assert_eq!(tested(&table.into(), probed), [NO_KEY, 2, NO_KEY, 1, 0]);
}

#[test]
fn other_types_are_no_keys() {
    let floats = arrow::array::Float64Array::from(vec![1.0]);
    assert!(KeyTable::new(&floats).is_err());
    let (table, _) = KeyTable::new(&Int64Array::from(vec![1])).expect("numbers");
    assert!(table.find(&floats, &mut Vec::new()).is_err());
}
