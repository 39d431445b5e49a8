use std::ops::Range;

use super::*;

fn part(rows: Range<usize>) -> Part {
    Part { file: 3, row_group: 5, rows }
}

fn window(rows: Range<usize>) -> Window {
    Window { row_group: 5, wanted: vec![rows.clone()], rows }
}

#[test]
fn rows_outside_of_all_windows_are_left() {
    let of = |windows: &[Range<usize>]| {
        let windows: Vec<Window> = windows.iter().cloned().map(window).collect();
        part(10..50).without(&windows)
    };
    assert_eq!(of(&[]), [part(10..50)]);
    assert_eq!(of(&[10..50]), []);
    assert_eq!(of(&[10..20, 20..50]), []);
    assert_eq!(of(&[10..20, 30..50]), [part(20..30)]);
    assert_eq!(of(&[15..20, 30..40]), [part(10..15), part(20..30), part(40..50)]);
}
