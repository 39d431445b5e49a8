//! Tables that are larger than the smaller limits.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::basic::Compression;
use pelton_tests::file::{parquet, small_pages};

use crate::support::Scratch;

pub const NAMES: [&str; 4] = ["l", "r", "wide", "facts"];

/// Rows of `wide` and `facts`, which a scan deals out to two threads.
const MANY: i64 = 140_000;

/// Writes `l(x, s)` and `r(y, t)` with long texts; `wide(z)`, a scan of more than one partition;
/// and `facts(k, g, v, w)` with many groups and some null keys.
pub fn write(scratch: &Scratch) {
    let numbers = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as ArrayRef;
    let texts = |values: Vec<String>| Arc::new(StringArray::from(values)) as ArrayRef;
    let file = |name: &str, columns: Vec<(&str, ArrayRef)>, group_rows| {
        let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
        let properties = small_pages(Compression::SNAPPY, 1_000, group_rows).build();
        scratch.write(&format!("{name}.parquet"), &parquet(&[batch], properties));
    };
    let long = |start: String, length: usize| format!("{start:-<length$}");
    let xs: Vec<i64> = (0..3_000).collect();
    let s = xs.iter().map(|x| long(format!("s{x}"), 200)).collect();
    file("l", vec![("x", numbers(xs)), ("s", texts(s))], 300);
    let ys: Vec<i64> = (0..300).map(|i| 10 * i + 1).collect();
    let t = ys.iter().map(|y| long(format!("t{y}"), 2_000)).collect();
    file("r", vec![("y", numbers(ys)), ("t", texts(t))], 30);
    file("wide", vec![("z", numbers((0..MANY).map(|i| i * 7_919 % 200_003).collect()))], 10_000);
    let k = (0..MANY).map(|i| i * 31 % 50_021).collect();
    let g = (0..MANY).map(|i| (i % 41 > 0).then_some(i % 41));
    let v = (0..MANY).map(|i| i * 7_919 % 1_000_003).collect();
    let w = (0..MANY).map(|i| format!("w{}", i * 17 % 60_013)).collect();
    let g = Arc::new(Int64Array::from_iter(g)) as ArrayRef;
    file("facts", vec![("k", numbers(k)), ("g", g), ("v", numbers(v)), ("w", texts(w))], 10_000);
}
