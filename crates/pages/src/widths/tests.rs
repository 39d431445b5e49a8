use std::sync::Arc;

use arrow::datatypes::{Field, Fields};

use super::*;

#[test]
fn widths_multiply_and_add_up() {
    let field = |of| Arc::new(Field::new("x", of, true));
    let list = |of, count| DataType::FixedSizeList(field(of), count);
    for (of, expected) in [
        (DataType::Int32, 4),
        (DataType::FixedSizeBinary(1000), 1000),
        (list(DataType::Float32, 1536), 4 * 1536),
        (list(list(DataType::Float64, i32::MAX), i32::MAX), usize::MAX),
        (DataType::List(field(DataType::FixedSizeBinary(7))), 7),
        (DataType::Struct(Fields::from(vec![field(DataType::Int64), field(DataType::Utf8)])), 24),
    ] {
        assert_eq!(width(&of), expected, "{of}");
    }
}

#[test]
fn wide_rows_come_in_small_batches_or_not_at_all() {
    let of = |width| DataType::FixedSizeBinary(width);
    assert_eq!(batch_rows([DataType::Int64, of(16)].iter(), 8192), 8192);
    assert_eq!(batch_rows([DataType::Int64, of(1 << 20)].iter(), 8192), 64);
    assert_eq!(batch_rows([of(i32::MAX)].iter(), 8192), 1);
    let schema =
        |width| Schema::new(vec![Field::new("a", DataType::Int64, true), Field::new("b", of(width), true)]);
    assert_eq!(check(&schema(1 << 26)), Ok(()));
    assert!(check(&schema(1 << 27)).unwrap_err().contains("column b takes 134217728 bytes"));
}
