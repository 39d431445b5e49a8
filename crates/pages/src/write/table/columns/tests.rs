use arrow::datatypes::Field;

use super::*;

#[test]
fn columns_of_equal_names_are_numbered() {
    let names = ["x", "x", "x_1", "y", "x"];
    let fields: Fields = names.map(|name| Field::new(name, DataType::Int32, true)).to_vec().into();
    let schema = encoded(&Schema::new(fields));
    let found: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(found, ["x", "x_2", "x_1", "y", "x_3"]);
}
