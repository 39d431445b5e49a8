//! Tables of every type that the GPU has, with nulls, duplicates, and values at the ends of their
//! types.

use std::sync::Arc;

use arrow::array::*;
use parquet::basic::{Compression, ZstdLevel};
use pelton_random::Random;
use pelton_tests::file::{parquet, small_pages};

use super::expression::Class;
use crate::support::Scratch;

/// Names, rows and share of nulls. Row groups of 400 rows and pages of 60 make several of each.
const TABLES: [(&str, usize, f64); 5] =
    [("big", 1_500, 0.1), ("mid", 500, 0.2), ("few", 30, 0.3), ("full", 200, 0.0), ("none", 0, 0.0)];

/// Those that queries are over, and about how many rows they have.
pub const NAMES: [&str; 5] = ["big", "mid", "few", "full", "none"];

/// All columns of each table.
pub const COLUMNS: [(&str, Class); 21] = [
    ("id", Class::Integer),
    ("k", Class::Integer),
    ("n", Class::Integer),
    ("i8", Class::Integer),
    ("i16", Class::Integer),
    ("i32", Class::Integer),
    ("i64", Class::Integer),
    ("u8", Class::Integer),
    ("u16", Class::Integer),
    ("u32", Class::Integer),
    ("u64", Class::Integer),
    ("f32", Class::Special),
    ("f64", Class::Float),
    ("d9", Class::Decimal),
    ("d18", Class::Decimal),
    ("d38", Class::Decimal),
    ("dt", Class::Date),
    ("ts", Class::Timestamp),
    ("s", Class::Text),
    ("z", Class::Text),
    ("b", Class::Bool),
];

/// Words that columns and constants share.
pub const WORDS: [&str; 12] = [
    "",
    "a",
    "A",
    "ab",
    "abc",
    "éa",
    "日本語",
    "100%",
    "under_score",
    "back\\slash",
    "a longer text than a view holds inside",
    "zz",
];

/// Special floats.
const FLOATS: [f64; 6] = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.25];

struct Columns<'a> {
    random: &'a mut Random,
    rows: usize,
    nulls: f64,
}

impl Columns<'_> {
    fn of<T, A: FromIterator<Option<T>> + Array + 'static>(
        &mut self,
        mut make: impl FnMut(&mut Random) -> T,
    ) -> ArrayRef {
        let one = |_| (!self.random.chance(self.nulls)).then(|| make(self.random));
        Arc::new((0..self.rows).map(one).collect::<A>())
    }

    fn decimal(&mut self, digits: u8, scale: i8) -> ArrayRef {
        let bound = 10i128.pow(u32::from(digits)) - 1;
        let rows = self.rows;
        let values = (0..rows).map(|_| {
            (!self.random.chance(self.nulls)).then(|| match self.random.below(12) {
                0 => bound / 10,
                1 => -bound / 10,
                2 => 0,
                _ => self.random.below(2_000) as i128 * 25 - 20_000,
            })
        });
        let array = values.collect::<Decimal128Array>();
        Arc::new(array.with_precision_and_scale(digits, scale).expect("in range"))
    }
}

/// Returns a number that is often small, and sometimes at the end of its type.
fn integer(random: &mut Random, min: i64, max: i64) -> i64 {
    match random.below(16) {
        0 => min,
        1 => max,
        _ => (random.below(40) as i64 - 10).clamp(min, max),
    }
}

/// Quarters, so that sums are exact in any order.
fn float(random: &mut Random) -> f64 {
    match random.below(8) {
        0 => -0.0,
        1 => 1e6,
        _ => random.below(400) as f64 / 4.0 - 50.0,
    }
}

fn table(seed: u64, rows: usize, nulls: f64) -> RecordBatch {
    let mut random = Random::new(seed);
    let mut make = Columns { random: &mut random, rows, nulls };
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows as i64));
    let n: ArrayRef = Arc::new(Int32Array::from_iter_values((0..rows).map(|row| (row * 7 % 13) as i32)));
    let small = |r: &mut Random| r.below(12) as i32;
    let word = |r: &mut Random| r.pick(&WORDS).to_string();
    let text = |r: &mut Random| match r.below(3) {
        0 => r.pick(&WORDS).to_string(),
        _ => format!("{}{}{}", r.pick(&WORDS), r.below(1000), r.pick(&WORDS)),
    };
    let columns = vec![
        ("id", id, false),
        ("k", make.of::<_, Int32Array>(small), true),
        ("n", n, false),
        ("i8", make.of::<_, Int8Array>(|r| integer(r, -128, 127) as i8), true),
        ("i16", make.of::<_, Int16Array>(|r| integer(r, i16::MIN.into(), i16::MAX.into()) as i16), true),
        ("i32", make.of::<_, Int32Array>(|r| integer(r, i32::MIN.into(), i32::MAX.into()) as i32), true),
        ("i64", make.of::<_, Int64Array>(|r| integer(r, i64::MIN, i64::MAX)), true),
        ("u8", make.of::<_, UInt8Array>(|r| integer(r, 0, 255) as u8), true),
        ("u16", make.of::<_, UInt16Array>(|r| integer(r, 0, u16::MAX.into()) as u16), true),
        ("u32", make.of::<_, UInt32Array>(|r| integer(r, 0, u32::MAX.into()) as u32), true),
        ("u64", make.of::<_, UInt64Array>(|r| integer(r, 0, i64::MAX) as u64 * 2), true),
        ("f32", make.of::<_, Float32Array>(|r| *r.pick(&FLOATS) as f32), true),
        ("f64", make.of::<_, Float64Array>(float), true),
        ("d9", make.decimal(9, 2), true),
        ("d18", make.decimal(18, 4), true),
        ("d38", make.decimal(38, 6), true),
        ("dt", make.of::<_, Date32Array>(|r| r.below(3_000) as i32 * 11 - 12_000), true),
        (
            "ts",
            make.of::<_, TimestampMicrosecondArray>(|r| {
                r.below(4_000) as i64 * 777_777_777_777 - 1_000_000_000_000_000
            }),
            true,
        ),
        ("s", make.of::<_, StringArray>(word), true),
        ("z", make.of::<_, StringArray>(text), true),
        ("b", make.of::<_, BooleanArray>(|r| r.chance(0.5)), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}

/// Writes the tables; their names and files.
pub fn write(scratch: &Scratch) -> Vec<(&'static str, String)> {
    let codecs = [Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default()), Compression::UNCOMPRESSED];
    let one = |(index, (name, rows, nulls)): (usize, &(&'static str, usize, f64))| {
        let batch = table(index as u64 + 1, *rows, *nulls);
        let properties = small_pages(codecs[index % codecs.len()], 60, 400).build();
        (*name, scratch.write(&format!("{name}.parquet"), &parquet(&[batch], properties)))
    };
    TABLES.iter().enumerate().map(one).collect()
}
