use std::sync::Arc;

use arrow::array::{
    ArrayRef, Date32Array, Decimal128Array, DictionaryArray, Float64Array, Int64Array, RecordBatch,
    StringViewArray,
};
use arrow::datatypes::Int32Type;

use super::{Kind, ResultSet};

#[test]
fn batches_become_plain_text() {
    let decimals = Decimal128Array::from(vec![Some(-5), None]).with_precision_and_scale(15, 2).unwrap();
    let words: DictionaryArray<Int32Type> = vec![Some("a|b"), None].into_iter().collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("i", Arc::new(Int64Array::from(vec![Some(-7), None]))),
        ("n", Arc::new(decimals)),
        ("f", Arc::new(Float64Array::from(vec![Some(1.5e-7), Some(3e21)]))),
        ("d", Arc::new(Date32Array::from(vec![Some(9204), None]))),
        ("t", Arc::new(StringViewArray::from(vec![Some(" x "), Some("")]))),
        ("w", Arc::new(words)),
    ];
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).unwrap();
    let result = ResultSet::from_batches(&batch.schema(), &[batch.clone(), batch.slice(1, 1)]).unwrap();

    let kinds: Vec<Kind> = result.columns.iter().map(|c| c.kind).collect();
    use Kind::{Float, Number, Text};
    assert_eq!(kinds, [Number, Number, Float, Text, Text, Text]);
    let row = |values: [Option<&str>; 6]| values.map(|v| v.map(str::to_owned)).to_vec();
    let first =
        row([Some("-7"), Some("-0.05"), Some("0.00000015"), Some("1995-03-15"), Some(" x "), Some("a|b")]);
    let second = row([None, None, Some("3000000000000000000000"), None, Some(""), None]);
    assert_eq!(result.rows, [first, second.clone(), second]);
}

#[test]
fn an_answer_file_keeps_nulls_and_empty_lines() {
    let one_null = ResultSet::from_answer("avg_yearly\n\n");
    assert_eq!(one_null.rows, vec![vec![None]]);
    let none = ResultSet::from_answer("a|b\n");
    assert!(none.rows.is_empty());
    assert_eq!(none.columns.len(), 2);
    let trailing = ResultSet::from_answer("a|b\n1|x \n");
    assert_eq!(trailing.rows, vec![vec![Some("1".to_owned()), Some("x ".to_owned())]]);
}
