//! Tables of random columns, in random pieces, with random options.

use arrow::array::RecordBatch;
use pelton_random::Random;
use pelton_tests::columns::{Shape, flat, nested};
use pelton_tests::compare::assert_same;

use super::{PACKINGS, options, rows, write};
use crate::support::{Scratch, engine, read};

/// Tables that are made.
const TABLES: u64 = 60;

#[test]
fn random_tables_come_back_as_they_were() {
    let (engine, scratch) = (engine(), Scratch::new());
    for seed in 0..TABLES {
        let mut random = Random::new(seed);
        let shape = Shape {
            rows: 1 + random.below(3000),
            nulls: *random.pick(&[0.0, 0.01, 0.5, 0.99]),
            distinct: *random.pick(&[1, 2, 30, 5000]),
            seed,
        };
        let whole = if random.chance(0.3) { nested(shape) } else { flat(shape) };
        let mut columns: Vec<usize> = (0..whole.num_columns()).filter(|_| random.chance(0.3)).collect();
        if columns.is_empty() {
            columns.push(random.below(whole.num_columns()));
        }
        let table = whole.project(&columns).expect("columns that there are");
        let mut pieces: Vec<RecordBatch> = Vec::new();
        let mut at = 0;
        while at < table.num_rows() {
            let rows = random.below(700).min(table.num_rows() - at);
            pieces.push(table.slice(at, rows));
            at += rows;
        }
        let packing = *random.pick(&PACKINGS);
        let group_rows = *random.pick(&[1 + table.num_rows() / 20, 17, 500, 100_000]);
        let mut chosen = options(packing, group_rows.max(17), 1 + random.below(3));
        chosen.bloom_filters = random.chance(0.5);
        let context = format!("seed {seed}: {shape:?}, {chosen:?}, columns {columns:?}");
        let file = write(&engine, &table.schema(), &pieces, chosen);
        assert_same(&rows(&file), std::slice::from_ref(&table), &context);
        let path = scratch.write("random.parquet", &file);
        let found = read(&engine, &path).unwrap_or_else(|e| panic!("{context}: {e}"));
        assert_same(&found, &[table], &format!("{context}, read by Pelton"));
    }
}
