//! Reading tables into the cache.

use std::collections::BTreeMap;
use std::sync::Arc;

use pelton_device_cuda::Stream;
use pelton_pages::{ParquetFile, RowRanges, ScanCounters};
use pelton_query::plan::CachePlace;
use pelton_query::{Error, Result, TableFiles};

use super::describe::{describe, left_out};
use super::file::{CachedColumn, CachedFile};
use super::place;
use super::readable::{all_plain_bytes, plain_bytes, readable};
use super::room::Room;
use crate::exec::Engine;
use crate::window::{RawColumn, RawOptions, RawWindow, ReadMemory};

/// Keeps a table's files, and says in one line what is kept. Files that are there already, in the
/// same version and place, stay.
///
/// # Errors
/// A file can't be read, a page is damaged, no column is of a kind that kernels read, or there is
/// no room. What was kept of the files before is kept still, if it is of their present versions.
pub(crate) async fn keep(
    engine: &Arc<Engine>,
    name: &str,
    table: &TableFiles,
    place: CachePlace,
) -> Result<String> {
    let _one_at_a_time = engine.cache.keeping.lock().await;
    engine.cache.remove_other_versions(table);
    let stream = |name| engine.gpu.stream(name).map_err(|error| Error::Execution(error.to_string()));
    let plain = table.files.iter().map(|file| all_plain_bytes(&file.file)).sum();
    let room = Room::new(engine, name, plain);
    let mut keeping = Keeping { engine, place, streams: (stream("copy")?, stream("compute")?), room };
    let mut files = Vec::with_capacity(table.files.len());
    for file in &table.files {
        let file = &file.file;
        files.push(match engine.cache.get(file.location()) {
            Some(kept) if kept.place == place => kept,
            before => Arc::new(keeping.file(file, before.as_deref()).await?),
        });
    }
    if files.iter().all(|file| file.columns == 0) {
        return Err(Error::Query(format!("nothing of {name} can be kept: {}", left_out(&files))));
    }
    let line = describe(name, "are", &files);
    engine.cache.insert(files);
    Ok(line)
}

/// A table that is being read.
struct Keeping<'a> {
    engine: &'a Arc<Engine>,
    place: CachePlace,
    /// On which pages are copied, and made columns of.
    streams: (Stream, Stream),
    room: Room<'a>,
}

impl Keeping<'_> {
    /// Reads a file, or takes its pages of what was kept of it on the host.
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
                CachePlace::Host => place::pin(&self.engine.gpu, raw).await?,
                CachePlace::Gpu => {
                    let plain = plain_bytes(file, number, &leaves);
                    place::stage(self.engine, &self.streams, raw, plain, &mut self.room).await?
                }
            };
            row_groups.push(leaves.iter().copied().zip(columns).collect());
            bytes += taken;
        }
        let rows = file.metadata().file_metadata().num_rows().max(0) as u64;
        let (location, place, columns) = (file.location().clone(), self.place, leaves.len());
        Ok(CachedFile { location, place, row_groups, rows, bytes, columns, left_out })
    }

    /// All pages of a row group.
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

/// All pages of a row group, if they are in host memory.
fn on_host(before: &CachedFile, row_group: usize, rows: usize, leaves: &[usize]) -> Option<RawWindow> {
    let group = before.row_groups.get(row_group)?;
    let mut raw = RawWindow::new(std::iter::once(0..rows).collect());
    for (index, leaf) in leaves.iter().enumerate() {
        let CachedColumn::Host(chunk, of) = group.get(leaf)? else { return None };
        raw.insert(index, RawColumn::Pages(chunk.clone(), *of));
    }
    Some(raw)
}
