use arrow::array::{BinaryViewArray, Int64Array, StringViewArray};
use arrow::datatypes::Field;

use super::*;

#[test]
fn a_few_rows_keep_no_texts_of_others() {
    let texts: Vec<String> =
        (0..10_000).map(|row| format!("a text of more than twelve bytes, {row}")).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("s", Arc::new(StringViewArray::from_iter_values(&texts))),
        ("b", Arc::new(BinaryViewArray::from_iter_values(texts.iter().map(String::as_bytes)))),
        ("n", Arc::new(Int64Array::from_iter_values(0..10_000))),
    ];
    let all = RecordBatch::try_from_iter(columns).expect("equal lengths");
    let few = all.slice(500, 2);
    assert!(few.get_array_memory_size() > 500_000);
    let own = compact(&few).expect("the same types");
    assert_eq!(own, few);
    let views: usize = own.columns()[..2].iter().map(|column| column.get_array_memory_size()).sum();
    assert!(views < 10_000, "{views}");
}

#[test]
fn columns_of_views_are_found() {
    let schema = |data_type| Schema::new(vec![Field::new("x", data_type, true)]);
    assert!(has_views(&schema(DataType::Utf8View)) && has_views(&schema(DataType::BinaryView)));
    assert!(!has_views(&schema(DataType::Utf8)) && !has_views(&schema(DataType::Int32)));
}

#[test]
fn texts_that_views_share_are_not_multiplied() {
    let texts = StringViewArray::from_iter_values(["one text of more than twelve bytes", "short"]);
    let row = texts.views()[0];
    let views = std::iter::repeat_n(row, 1_000).collect();
    let shared = StringViewArray::new(views, texts.data_buffers(), None);
    let batch = RecordBatch::try_from_iter([("s", Arc::new(shared) as ArrayRef)]).expect("a column");
    let kept = compact(&batch).expect("the same types");
    assert_eq!(kept, batch);
    assert_eq!(kept.get_array_memory_size(), batch.get_array_memory_size());
}

#[test]
fn a_batch_without_columns_keeps_its_rows() {
    let rows = RecordBatchOptions::new().with_row_count(Some(7));
    let batch = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &rows);
    assert_eq!(compact(&batch.expect("no columns")).expect("no columns").num_rows(), 7);
}
