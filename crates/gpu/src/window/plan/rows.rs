//! Wanted rows as tiles, and hints that say which page a row is in.

use std::ops::Range;

use pelton_pages::RowRanges;
use pelton_pages::raw::RawPage;

use crate::window::layout::{HINT_ROWS, Tile};

/// Rows of a tile at most: what a block of threads takes at a time.
pub const TILE_ROWS: usize = 256;

/// For every [`HINT_ROWS`] rows from the first page's on, the first page that ends behind the first
/// of these rows.
pub fn hints(pages: &[RawPage]) -> Vec<u32> {
    let (Some(first), Some(last)) = (pages.first(), pages.last()) else { return Vec::new() };
    let (mut row, end) = (first.rows.start, last.rows.end);
    let mut hints = Vec::with_capacity((end - row) / HINT_ROWS as usize + 1);
    let mut page = 0;
    while row < end {
        while pages[page].rows.end <= row {
            page += 1;
        }
        hints.push(page as u32);
        row += HINT_ROWS as usize;
    }
    hints
}

/// The wanted rows, cut into tiles.
pub fn tiles(wanted: &RowRanges) -> Vec<Tile> {
    let of_range = |range: &Range<usize>| {
        let end = range.end;
        range.clone().step_by(TILE_ROWS).map(move |row| Tile {
            first_row: row as u64,
            rows: (end - row).min(TILE_ROWS) as u32,
            unused: 0,
        })
    };
    wanted.iter().flat_map(of_range).collect()
}

#[cfg(test)]
mod tests;
