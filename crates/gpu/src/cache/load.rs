//! Loading of tables into the cache.

use std::collections::BTreeMap;
use std::sync::Arc;

use pelton_device_cuda::Stream;
use pelton_pages::{ParquetFile, RowRanges, ScanCounters};
use pelton_query::plan::CachePlace;
use pelton_query::{Error, Result, TableFiles};

use super::budget::Budget;
use super::file::{CachedColumn, CachedFile, describe, left_out};
use super::placement;
use crate::exec::Engine;
use crate::window::{self, RawColumn, RawOptions, RawWindow, ReadMemory};

/// Caches a table's files, and returns one line that describes them. Files that are cached already,
/// in the same version and place, stay.
///
/// # Errors
/// A file can't be read, a page is damaged, no column is of a kind that kernels read, or there is
/// no budget. Columns that were cached before stay if their files have not changed.
pub(crate) async fn load(
    engine: &Arc<Engine>,
    name: &str,
    table: &TableFiles,
    place: CachePlace,
) -> Result<String> {
    let _one_at_a_time = engine.cache.loading.lock().await;
    engine.cache.remove_other_versions(table);
    let stream = |name| engine.gpu.stream(name).map_err(|error| Error::Execution(error.to_string()));
    let uncompressed = table.files.iter().map(|file| all_uncompressed_bytes(&file.file)).sum();
    let budget = Budget::new(engine, name, uncompressed);
    let mut loading = Loading { engine, place, streams: (stream("copy")?, stream("compute")?), budget };
    let mut files = Vec::with_capacity(table.files.len());
    for file in &table.files {
        let file = &file.file;
        files.push(match engine.cache.get(file.location()) {
            Some(kept) if kept.place == place => kept,
            before => Arc::new(loading.file(file, before.as_deref()).await?),
        });
    }
    if files.iter().all(|file| file.columns == 0) {
        return Err(Error::Query(format!("nothing of {name} can be kept: {}", left_out(&files))));
    }
    let line = describe(name, "are", &files);
    engine.cache.insert(files);
    Ok(line)
}

/// A table that is being loaded.
struct Loading<'a> {
    engine: &'a Arc<Engine>,
    place: CachePlace,
    /// For the copies of pages, and for the kernels that make columns of them.
    streams: (Stream, Stream),
    budget: Budget<'a>,
}

impl Loading<'_> {
    /// Reads a file, or takes its pages from the columns that were cached on the host.
    async fn file(&mut self, file: &Arc<ParquetFile>, before: Option<&CachedFile>) -> Result<CachedFile> {
        let (leaves, left_out) = readable(file);
        let mut row_groups = Vec::new();
        let mut bytes = 0;
        for (number, row_group) in file.metadata().row_groups().iter().enumerate() {
            let rows = row_group.num_rows().max(0) as usize;
            if rows == 0 || leaves.is_empty() {
                row_groups.push(BTreeMap::new());
                continue;
            }
            let raw = match before.and_then(|before| on_host(before, number, rows, &leaves)) {
                Some(raw) => raw,
                None => self.read(file, number, rows, &leaves).await?,
            };
            let (columns, taken) = match self.place {
                CachePlace::Host => placement::pin(&self.engine.gpu, raw).await?,
                CachePlace::Gpu => {
                    let uncompressed = uncompressed_bytes(file, number, &leaves);
                    placement::stage(self.engine, &self.streams, raw, uncompressed, &mut self.budget).await?
                }
            };
            row_groups.push(leaves.iter().copied().zip(columns).collect());
            bytes += taken;
        }
        let rows = file.metadata().file_metadata().num_rows().max(0) as u64;
        let (location, place, columns) = (file.location().clone(), self.place, leaves.len());
        Ok(CachedFile { location, place, row_groups, rows, bytes, columns, left_out })
    }

    /// Returns all pages of a row group.
    async fn read(
        &self,
        file: &Arc<ParquetFile>,
        row_group: usize,
        rows: usize,
        leaves: &[usize],
    ) -> Result<RawWindow> {
        let wanted: RowRanges = std::iter::once(0..rows).collect();
        let counters = Arc::<ScanCounters>::default();
        let verify_checksums = self.engine.scan.verify_checksums;
        let options = RawOptions { counters, verify_checksums, memory: ReadMemory::default() };
        Ok(RawWindow::read(file, row_group, &wanted, leaves, &options).await?)
    }
}

/// Returns all pages of a row group, if they are in host memory.
fn on_host(before: &CachedFile, row_group: usize, rows: usize, leaves: &[usize]) -> Option<RawWindow> {
    let group = before.row_groups.get(row_group)?;
    let mut raw = RawWindow::new(std::iter::once(0..rows).collect());
    for (index, leaf) in leaves.iter().enumerate() {
        let CachedColumn::Host(chunk, of) = group.get(leaf)? else { return None };
        raw.insert(index, RawColumn::Pages(chunk.clone(), *of));
    }
    Some(raw)
}

/// Returns the leaves that kernels read, and the reasons against the others.
fn readable(file: &ParquetFile) -> (Vec<usize>, Vec<String>) {
    let (mut leaves, mut left_out) = (Vec::new(), Vec::new());
    for (column, field) in file.schema().fields().iter().enumerate() {
        let leaf = window::leaf_of(file, column).map_err(|_| format!("{} is nested", field.name()));
        match leaf.and_then(|leaf| window::supports(file, leaf).map(|()| leaf)) {
            Ok(leaf) => leaves.push(leaf),
            Err(why) => left_out.push(why),
        }
    }
    leaves.sort_unstable();
    (leaves, left_out)
}

/// Returns the decompressed bytes of columns of a row group, as the footer has it.
fn uncompressed_bytes(file: &ParquetFile, row_group: usize, leaves: &[usize]) -> u64 {
    let chunks = file.metadata().row_groups().get(row_group).map_or(&[][..], |group| group.columns());
    let chunks = leaves.iter().filter_map(|&leaf| chunks.get(leaf));
    chunks.map(|chunk| chunk.uncompressed_size().max(0) as u64).sum()
}

/// Returns the decompressed bytes of all readable columns of a file.
fn all_uncompressed_bytes(file: &ParquetFile) -> u64 {
    let (leaves, _) = readable(file);
    (0..file.metadata().num_row_groups()).map(|group| uncompressed_bytes(file, group, &leaves)).sum()
}
