//! Chaining of a table's rows by key, and sorting.

use std::sync::Arc;

use super::Result;
use super::launch::{Parameters, THREADS};
use super::run::Run;
use super::table::bytes;

/// `SORT_TILE` of query/sort.cuh: rows that a block sorts by itself.
const TILE: u64 = 1024;

/// Rows that a block of a merge writes: 256 threads of 16, `MERGE_ITEMS` of query/sort.cuh.
const MERGED_BY_BLOCK: u64 = 4096;

impl Run<'_> {
    /// Chains the rows of a table by the hashes of their keys.
    pub(super) fn index(&mut self, number: usize) -> Result<()> {
        let Some(table) = &mut self.tables[number] else { return Ok(()) };
        table.chain(&self.engine.gpu, &self.compute)?;
        let (rows, words) = (table.rows, table.words());
        let parameters = Parameters::default().word(rows).words(words);
        let pieces = rows.div_ceil(THREADS.into());
        self.launch(&format!("index_table_{number}"), pieces, &parameters, rows * 8)
    }

    /// Sorts the table of an order.
    pub(super) fn sort(&mut self, number: usize) -> Result<()> {
        let order = &self.query.orders[number];
        let table = self.table(order.table)?;
        let (rows, words) = (table.rows, table.words());
        let buffer = || Ok::<_, super::Error>(Arc::new(self.engine.gpu.allocate(bytes(rows.max(1), 4)?)?));
        let (mut from, mut to) = (buffer()?, buffer()?);
        let fetch = order.fetch.unwrap_or(rows);
        let launch = |kernel: &str, pieces: u64, run: u64, from: u64, to: u64| {
            let parameters = Parameters::default().word(rows).word(run).word(fetch).word(from).word(to);
            self.launch(
                &format!("sort_{number}_{kernel}"),
                pieces,
                &parameters.words(words.clone()),
                rows * 4,
            )
        };
        launch("tiles", rows.div_ceil(TILE), TILE, 0, to.address())?;
        let mut run = TILE;
        while run < rows {
            std::mem::swap(&mut from, &mut to);
            launch("merge", rows.div_ceil(MERGED_BY_BLOCK), run, from.address(), to.address())?;
            run *= 2;
        }
        self.compute.keep(from);
        self.orders[number] = Some(to);
        Ok(())
    }
}
