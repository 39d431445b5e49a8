//! Frames of few rows, written out.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use arrow::compute::SortOptions;
use datafusion::common::ScalarValue;
use datafusion::physical_expr::expressions::Column;

use super::{Bound, Distance, Distances, Frame, Frames, Shape, Starts};

/// The keys of two partitions, in ascending order.
const KEYS: [Option<i64>; 7] = [Some(1), Some(1), Some(3), Some(4), Some(2), None, None];
const PARTITIONS: [usize; 2] = [0, 4];
const PEERS: [usize; 5] = [0, 2, 3, 4, 5];

/// Returns the frames of all rows, which come in batches of some rows.
fn frames(shape: Shape, rows: usize) -> Vec<Range<u64>> {
    let mut finder = Frames::new(Frame(shape));
    let mut found = Vec::new();
    for first in (0..KEYS.len()).step_by(rows) {
        let last = KEYS.len().min(first + rows);
        let within = |starts: &[usize]| -> Vec<usize> {
            starts.iter().filter(|row| (first..last).contains(*row)).map(|row| row - first).collect()
        };
        let starts = Starts {
            rows: last - first,
            partitions: within(&PARTITIONS),
            peers: within(&PEERS),
            follows: first > 0,
        };
        let keys = Arc::new(Int64Array::from(KEYS[first..last].to_vec())) as ArrayRef;
        found.extend(finder.add(&starts, Some(&keys)).expect("keys"));
    }
    found.extend(finder.add(&Starts::end(), None).expect("an end"));
    found
}

fn assert_frames(shape: &Shape, expected: [Range<u64>; 7]) {
    for rows in 1..=7 {
        assert_eq!(frames(shape.clone(), rows), expected, "{shape:?} in batches of {rows}");
    }
}

#[test]
fn rows_are_counted_within_their_partition() {
    let steps = |start, end| Shape::Rows { start: Bound::Steps(start), end: Bound::Steps(end) };
    assert_frames(&steps(-1, 1), [0..2, 0..3, 1..4, 2..4, 4..6, 4..7, 5..7]);
    assert_frames(&steps(1, 2), [1..3, 2..4, 3..4, 4..4, 5..7, 6..7, 7..7]);
    assert_frames(&steps(-3, -2), [0..0, 0..0, 0..1, 0..2, 4..4, 4..4, 4..5]);
    assert_frames(&steps(i64::MIN, i64::MAX), [0..4, 0..4, 0..4, 0..4, 4..7, 4..7, 4..7]);
    let to_end = Shape::Rows { start: Bound::Steps(0), end: Bound::Partition };
    assert_frames(&to_end, [0..4, 1..4, 2..4, 3..4, 4..7, 5..7, 6..7]);
}

#[test]
fn groups_are_peers() {
    let steps = |start, end| Shape::Groups { start: Bound::Steps(start), end: Bound::Steps(end) };
    assert_frames(&steps(0, 0), [0..2, 0..2, 2..3, 3..4, 4..5, 5..7, 5..7]);
    assert_frames(&steps(-1, 0), [0..2, 0..2, 0..3, 2..4, 4..5, 4..7, 4..7]);
    assert_frames(&steps(1, 1), [2..3, 2..3, 3..4, 4..4, 5..7, 7..7, 7..7]);
    let before = Shape::Groups { start: Bound::Partition, end: Bound::Steps(-1) };
    assert_frames(&before, [0..0, 0..0, 0..2, 0..3, 4..4, 4..5, 4..5]);
    let before = Shape::Groups { start: Bound::Partition, end: Bound::Steps(-2) };
    assert_frames(&before, [0..0, 0..0, 0..0, 0..2, 4..4, 4..4, 4..4]);
    assert_frames(&steps(-2, -2), [0..0, 0..0, 0..0, 0..2, 4..4, 4..4, 4..4]);
}

#[test]
fn keys_are_within_distances() {
    let shape = |start, end| {
        let options = SortOptions { descending: false, nulls_first: false };
        let key = Arc::new(Column::new("key", 0));
        Shape::Range { key, distances: Distances { start, end, options }, steps_back: 0, is_cast: false }
    };
    let by = |distance: i64| ScalarValue::Int64(Some(distance));
    let near = shape(Distance::Before(by(1)), Distance::After(by(1)));
    assert_frames(&near, [0..2, 0..2, 2..4, 2..4, 4..5, 5..7, 5..7]);
    let before = shape(Distance::Before(by(2)), Distance::Before(by(1)));
    assert_frames(&before, [0..0, 0..0, 0..2, 2..3, 4..4, 5..7, 5..7]);
    let rest = shape(Distance::After(by(1)), Distance::Partition);
    assert_frames(&rest, [2..4, 2..4, 3..4, 4..4, 5..7, 5..7, 5..7]);
    let far = shape(Distance::Before(by(i64::MAX)), Distance::After(by(i64::MAX)));
    assert_frames(&far, [0..4, 0..4, 0..4, 0..4, 4..5, 5..7, 5..7]);
}
