use arrow::array::StringViewArray;

use super::*;

fn bytes(values: &ArrayRef) -> usize {
    values.as_string_view().data_buffers().iter().map(Buffer::len).sum()
}

#[test]
fn texts_of_few_runs_keep_no_pages() {
    let page: StringViewArray =
        (0..1000).map(|row| Some(format!("a text of some length, number {row}"))).collect();
    let few = take(&page, &UInt32Array::from(vec![1, 500, 999]), None).expect("rows");
    assert!(bytes(&few) > 30_000);
    let compacted = compact(few.clone());
    assert_eq!(&compacted, &few);
    assert!(bytes(&compacted) < 200, "{}", bytes(&compacted));
}

#[test]
fn dictionaries_are_shared() {
    let dictionary: StringViewArray =
        (0..3).map(|row| Some(format!("a text of some length, {row}"))).collect();
    let dictionary: ArrayRef = Arc::new(dictionary);
    let values = take(&dictionary, &UInt32Array::from(vec![2, 0, 2, 1]), None).expect("rows");
    let place = |values: &ArrayRef| values.as_string_view().data_buffers()[0].as_ptr();
    assert_eq!(place(&compact(values.clone())), place(&dictionary));
}

#[test]
fn enough_rows_in_short_runs_end_the_operator() {
    let mut judged = Judged::default();
    assert!(!judged.is_in_vain(JUDGED_ROWS - 1, JUDGED_ROWS - 1));
    assert!(judged.is_in_vain(1, 1));
    assert!(!judged.is_in_vain(JUDGED_ROWS, JUDGED_ROWS / LEAST_RUN));
    assert!(judged.is_in_vain(JUDGED_ROWS, JUDGED_ROWS / LEAST_RUN + 1));
}
