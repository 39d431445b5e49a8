use std::ops::Range;

use super::*;

fn range(rows: Range<usize>) -> RowRange {
    RowRange { file: 3, row_group: 5, rows }
}

fn window(rows: Range<usize>) -> Window {
    Window { row_group: 5, wanted: vec![rows.clone()], rows }
}

#[test]
fn rows_outside_of_all_windows_are_left() {
    let of = |windows: &[Range<usize>]| {
        let windows: Vec<Window> = windows.iter().cloned().map(window).collect();
        range(10..50).without(&windows)
    };
    assert_eq!(of(&[]), [range(10..50)]);
    assert_eq!(of(&[10..50]), []);
    assert_eq!(of(&[10..20, 20..50]), []);
    assert_eq!(of(&[10..20, 30..50]), [range(20..30)]);
    assert_eq!(of(&[15..20, 30..40]), [range(10..15), range(20..30), range(40..50)]);
}
