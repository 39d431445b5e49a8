use arrow::datatypes::{DataType, Field};
use serde_json::{Value, json};

use super::Shape;

fn of(values: &[Value]) -> Option<DataType> {
    values.iter().map(Shape::of).fold(Shape::Null, Shape::and).data_type(false)
}

fn list(item: DataType) -> DataType {
    DataType::new_list(item, true)
}

#[test]
fn values_have_the_narrowest_common_type() {
    let members = |fields: &[(&str, DataType)]| {
        let fields = fields.iter().map(|(name, data_type)| Field::new(*name, data_type.clone(), true));
        DataType::Struct(fields.collect())
    };
    let cases = [
        (vec![json!(1), json!(null)], Some(DataType::Int64)),
        (vec![json!(1), json!(2.5)], Some(DataType::Float64)),
        (vec![json!(18_446_744_073_709_551_615_u64), json!(-1)], Some(DataType::Decimal128(38, 0))),
        (vec![json!(null)], Some(DataType::Utf8View)),
        (vec![json!("12")], Some(DataType::Utf8View)),
        (vec![json!("2020-01-01")], Some(DataType::Date32)),
        (vec![json!("2020-01-01"), json!("x")], Some(DataType::Utf8View)),
        (vec![json!(1), json!("x")], Some(DataType::Utf8View)),
        (vec![json!([]), json!([1, null])], Some(list(DataType::Int64))),
        (vec![json!(["a"]), json!([1])], Some(list(DataType::Utf8))),
        (vec![json!([1]), json!(1)], None),
        (
            vec![json!({"x": 1, "y": "t"}), json!({"z": true})],
            Some(members(&[("x", DataType::Int64), ("y", DataType::Utf8), ("z", DataType::Boolean)])),
        ),
    ];
    for (values, expected) in cases {
        assert_eq!(of(&values), expected, "{values:?}");
    }
}
