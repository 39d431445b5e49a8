//! Cached columns of one file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use pelton_pages::fetch::{RowRanges, Wanted};
use pelton_pages::raw::{RawChunk, RawPage};
use pelton_pages::{Location, ScanCounters};
use pelton_query::plan::CachePlace;

use crate::window::{ColumnType, RawColumn, StagedColumn};

/// A file's columns.
#[derive(Debug)]
pub(crate) struct CachedFile {
    /// The file and its version.
    pub location: Location,
    pub place: CachePlace,
    /// By row group: columns by their leaves.
    pub row_groups: Vec<BTreeMap<usize, CachedColumn>>,
    pub rows: u64,
    /// Bytes that it takes, of the host's memory or the GPU's.
    pub bytes: u64,
    /// Number of cached columns, and the reasons why others are left out.
    pub columns: usize,
    pub left_out: Vec<String>,
}

/// A column of a row group.
#[derive(Debug)]
pub(crate) enum CachedColumn {
    /// All its pages, compressed, in pinned memory of the host.
    Host(RawChunk, ColumnType),
    /// On the GPU, with the rows of the pages that it came from.
    Gpu(Arc<StagedColumn>, Vec<Range<usize>>),
}

impl CachedFile {
    /// Returns a column for some rows of a row group, if it is cached.
    pub fn column(
        &self,
        row_group: usize,
        leaf: usize,
        wanted: &RowRanges,
        counters: &ScanCounters,
    ) -> Option<RawColumn> {
        let column = self.row_groups.get(row_group)?.get(&leaf)?;
        Some(match column {
            CachedColumn::Host(chunk, of) => {
                let window = part(chunk, wanted);
                let dictionary = usize::from(window.dictionary.is_some());
                counters.cached(window.pages.len() + dictionary, chunk.pages.len() - window.pages.len());
                RawColumn::Pages(window, *of)
            }
            CachedColumn::Gpu(staged, pages) => {
                let used = pages.iter().filter(|rows| wanted.any(rows)).count();
                counters.cached(used, pages.len() - used);
                RawColumn::Staged(staged.clone())
            }
        })
    }
}

/// Returns the pages of a chunk that hold a wanted row, with the dictionary if one of them needs
/// it.
fn part(chunk: &RawChunk, wanted: &RowRanges) -> RawChunk {
    let pages: Vec<_> = chunk.pages.iter().filter(|page| wanted.any(&page.rows)).cloned().collect();
    let dictionary = chunk.dictionary.clone().filter(|_| pages.iter().any(RawPage::is_coded));
    RawChunk { leaf: chunk.leaf, place: chunk.place.clone(), codec: chunk.codec, dictionary, pages }
}

/// Describes in one line how files of a table "are" or "were" cached.
pub(crate) fn describe(name: &str, verb: &str, files: &[Arc<CachedFile>]) -> String {
    let of_place = |(place, memory): (CachePlace, &str)| {
        let files = || files.iter().filter(move |file| file.place == place);
        let rows: u64 = files().map(|file| file.rows).sum();
        let columns = files().map(|file| file.columns).max()?;
        let plural = if columns == 1 { "" } else { "s" };
        let bytes = megabytes(files().map(|file| file.bytes).sum());
        Some(format!("{rows} rows of {columns} column{plural} {verb} kept in {memory}, {bytes}"))
    };
    let places = [(CachePlace::Host, "host memory"), (CachePlace::Gpu, "GPU memory")];
    let kept: Vec<_> = places.into_iter().filter_map(of_place).collect();
    let kept = kept.join("; ");
    match left_out(files) {
        reasons if reasons.is_empty() => format!("{name}: {kept}"),
        reasons => format!("{name}: {kept}; left out: {reasons}"),
    }
}

/// Returns the reasons why columns are not cached.
pub(super) fn left_out(files: &[Arc<CachedFile>]) -> String {
    let mut reasons: Vec<_> =
        files.iter().flat_map(|file| file.left_out.iter().map(String::as_str)).collect();
    reasons.sort_unstable();
    reasons.dedup();
    reasons.join(", ")
}

pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
