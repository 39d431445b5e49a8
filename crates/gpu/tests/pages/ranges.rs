//! Some rows of a file, and their pages.

use parquet::basic::Compression;
use parquet::file::properties::EnabledStatistics;
use pelton_pages::RowRanges;
use pelton_random::Random;
use pelton_tests::columns::{Shape, flat};
use pelton_tests::file::{parquet, small_pages};

use super::files::check;

/// Returns some of `rows` rows, in ranges of any length.
fn some(random: &mut Random, rows: usize) -> RowRanges {
    let longest = *random.pick(&[1, 20, 300]);
    let mut ranges: RowRanges = Vec::new();
    let mut row = random.below(200);
    while row < rows {
        let end = (row + 1 + random.below(longest)).min(rows);
        ranges.push(row..end);
        row = end + random.below(3 * longest);
    }
    ranges
}

#[test]
fn some_rows() {
    let mut random = Random::new(7);
    for (nulls, distinct) in [(0.0, 30), (0.2, 10_000)] {
        for statistics in [EnabledStatistics::Page, EnabledStatistics::None] {
            let batch = flat(Shape { rows: 2500, nulls, distinct, seed: 11 });
            let properties = small_pages(Compression::UNCOMPRESSED, 130, 1000)
                .set_statistics_enabled(statistics)
                .set_offset_index_disabled(statistics == EnabledStatistics::None);
            let what = format!("nulls {nulls}, {statistics:?}");
            check(&parquet(&[batch], properties.build()), &what, |rows| some(&mut random, rows));
        }
    }
}

/// No row, one row, the first and the last.
#[test]
fn few_rows() {
    let batch = flat(Shape { rows: 1000, nulls: 0.1, distinct: 50, seed: 12 });
    let bytes = parquet(&[batch], small_pages(Compression::UNCOMPRESSED, 100, 1000).build());
    check(&bytes, "none", |_| vec![]);
    check(&bytes, "the first", |_| vec![0..1]);
    check(&bytes, "the last", |rows| vec![rows - 1..rows]);
    check(&bytes, "two", |rows| vec![0..1, rows - 1..rows]);
}
