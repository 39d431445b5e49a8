use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};

use super::*;

fn schema(fields: Vec<Field>) -> SchemaRef {
    Arc::new(Schema::new(fields))
}

fn table() -> SchemaRef {
    let inner = DataType::Struct(vec![Field::new("x", DataType::Int64, true)].into());
    schema(vec![
        Field::new("a", DataType::Int64, true),
        Field::new("d", DataType::Date32, true),
        Field::new("l", DataType::new_list(DataType::Int64, true), true),
        Field::new("s", inner, true),
        Field::new("t", DataType::Utf8, true),
    ])
}

/// Returns the error of a text that comes in pieces of some length.
fn error(text: &str, is_closed: bool, length: usize) -> Option<String> {
    let mut check = Check::new(table(), table(), is_closed, false);
    text.as_bytes().chunks(length).find_map(|piece| check.take(piece).err())
}

#[test]
fn values_that_fit_pass_in_any_pieces() {
    let text = "{\"a\": 1, \"d\": \"2024-01-31\"}\n{\"a\": 2.0, \"l\": [1, null], \"s\": {\"x\": 3}}\n{\"t\": 1.5}\n{}";
    for length in 1..text.len() {
        assert_eq!(error(text, true, length), None, "{length}");
    }
}

#[test]
fn values_that_would_change_are_named() {
    let lost = [
        ("{\"a\": 1.5}", "a is 1.5"),
        ("{\"d\": \"2024-01-01 10:00:00\"}", "d is \"2024-01-01 10:00:00\""),
        ("{\"l\": [1, 1.7]}", "l is 1.7"),
        ("{\"s\": {\"x\": 0.5}}", "s.x is 0.5"),
        ("{\"s\": {\"y\": 1}}", "s has y"),
        ("{\"b\": 1}", "it has b"),
    ];
    for (object, what) in lost {
        for length in [1, 3, 100] {
            let text = format!("{{}}\n{object}\n");
            let found = error(&text, true, length).unwrap_or_default();
            assert!(found.starts_with(&format!("object 2: {what}")), "{object}: {found}");
        }
    }
    // members that the user's columns leave out
    assert_eq!(error("{\"b\": 1, \"s\": {\"y\": 1}}", false, 5), None);
}

#[test]
fn text_that_is_no_json_is_left_to_the_reader() {
    assert_eq!(error("{\"a\": 1} nonsense {\"a\": 1.5}", true, 4), None);
}

#[test]
fn members_of_one_name_are_errors_in_every_object() {
    for is_sampled in [false, true] {
        let mut check = Check::new(table(), table(), true, is_sampled);
        let error = check.take(b"{\"a\":1} {\"s\":{\"x\":1,\"x\":2}}").expect_err("x twice");
        assert_eq!(error, "object 2: it has the member x twice: leave one of them out");
    }
    assert_eq!(error("{\"t\":1,\"T\":2}", false, 3), None);
}
