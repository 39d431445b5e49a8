//! Reading tables into the cache.

use std::collections::BTreeMap;
use std::sync::Arc;

use pelton_device_cuda::Stream;
use pelton_pages::raw::RawChunk;
use pelton_pages::{ParquetFile, RowRanges, ScanCounters};
use pelton_query::plan::CachePlace;
use pelton_query::{Error, Result, TableFiles};

use super::file::{CachedColumn, CachedFile};
use crate::exec::Engine;
use crate::window::{self, RawColumn, RawOptions, RawWindow, StagedColumn};

/// Tables may take so many quarters of the GPU's memory. The rest is for what queries make of them: hash tables, groups, results,
/// and windows of tables that are not kept.
const QUARTERS: u64 = 3;

/// Keeps a table's files, and says in one line what is kept. Files that are there already, in the same version and place, stay.
///
/// # Errors
/// A file can't be read, a page is damaged, no column is of a kind that kernels read, or there is no room. What was kept of
/// the files before is kept still, if it is of their present versions.
pub(crate) async fn keep(
    engine: &Arc<Engine>,
    name: &str,
    table: &TableFiles,
    place: CachePlace,
) -> Result<String> {
    let _one_at_a_time = engine.cache.keeping.lock().await;
    engine.cache.remove_other_versions(table);
    let mut keeping = Keeping::new(engine, name, table, place)?;
    for file in &table.files {
        match engine.cache.get(file.file.location()) {
            Some(kept) if kept.place == place => keeping.files.push(kept),
            before => keeping.add(&file.file, before.as_deref()).await?,
        }
    }
    if keeping.files.iter().all(|file| file.columns == 0) {
        let why: Vec<_> = keeping.files.iter().flat_map(|file| file.left_out.clone()).collect();
        return Err(Error::Query(format!("nothing of {name} can be kept: {}", united(why))));
    }
    let line = describe(name, "are", &keeping.files);
    engine.cache.insert(keeping.files);
    Ok(line)
}

/// In one line what files of a table "are" or "were" kept.
pub(crate) fn describe(name: &str, verb: &str, files: &[Arc<CachedFile>]) -> String {
    let of_place = |(place, memory): (CachePlace, &str)| {
        let files = || files.iter().filter(move |file| file.place == place);
        let rows: u64 = files().map(|file| file.rows).sum();
        let columns = files().map(|file| file.columns).max()?;
        let bytes = megabytes(files().map(|file| file.bytes).sum());
        Some(format!("{rows} rows of {columns} columns {verb} kept in {memory}, {bytes}"))
    };
    let places = [(CachePlace::Host, "host memory"), (CachePlace::Gpu, "GPU memory")];
    let line: Vec<_> = places.into_iter().filter_map(of_place).collect();
    let left_out: Vec<_> = files.iter().flat_map(|file| file.left_out.clone()).collect();
    match left_out.is_empty() {
        true => format!("{name}: {}", line.join("; ")),
        false => format!("{name}: {}; left out: {}", line.join("; "), united(left_out)),
    }
}

fn united(mut reasons: Vec<String>) -> String {
    reasons.sort();
    reasons.dedup();
    reasons.join(", ")
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// A table that is being read.
struct Keeping<'a> {
    engine: &'a Arc<Engine>,
    name: &'a str,
    place: CachePlace,
    /// On which columns are staged, if they are.
    streams: (Stream, Stream),
    /// The files that are there.
    files: Vec<Arc<CachedFile>>,
    /// Bytes that footers say all columns of all files have when they are decompressed; how many of them there are by now,
    /// and the GPU memory that these take: what the whole takes is told from that.
    plain: u64,
    plain_done: u64,
    staged: u64,
}

impl<'a> Keeping<'a> {
    fn new(engine: &'a Arc<Engine>, name: &'a str, table: &TableFiles, place: CachePlace) -> Result<Self> {
        let streams = (stream(engine, "copy")?, stream(engine, "compute")?);
        let plain = table.files.iter().map(|file| {
            let (leaves, _) = readable(&file.file);
            (0..file.file.metadata().num_row_groups())
                .map(|group| plain_bytes(&file.file, group, &leaves))
                .sum::<u64>()
        });
        let plain = plain.sum();
        Ok(Self { engine, name, place, streams, files: Vec::new(), plain, plain_done: 0, staged: 0 })
    }

    /// Adds a file. Of what was kept of it on the host its pages are taken.
    async fn add(&mut self, file: &Arc<ParquetFile>, before: Option<&CachedFile>) -> Result<()> {
        let (leaves, left_out) = readable(file);
        let mut row_groups = Vec::new();
        let mut bytes = 0;
        for (number, row_group) in file.metadata().row_groups().iter().enumerate() {
            let rows = row_group.num_rows().max(0) as usize;
            if rows == 0 || leaves.is_empty() {
                row_groups.push(BTreeMap::new());
                continue;
            }
            let raw = self.read(file, number, rows, &leaves, before).await?;
            let (columns, taken) = match self.place {
                CachePlace::Host => self.pin(raw).await?,
                CachePlace::Gpu => self.stage(raw, plain_bytes(file, number, &leaves)).await?,
            };
            row_groups.push(leaves.iter().copied().zip(columns).collect());
            bytes += taken;
        }
        let rows = file.metadata().file_metadata().num_rows().max(0) as u64;
        let (location, place, columns) = (file.location().clone(), self.place, leaves.len());
        self.files.push(Arc::new(CachedFile { location, place, row_groups, rows, bytes, columns, left_out }));
        Ok(())
    }

    /// All pages of a row group.
    async fn read(
        &self,
        file: &Arc<ParquetFile>,
        row_group: usize,
        rows: usize,
        leaves: &[usize],
        before: Option<&CachedFile>,
    ) -> Result<RawWindow> {
        let wanted: RowRanges = vec![0..rows];
        let counters = Arc::<ScanCounters>::default();
        if let Some(before) = before {
            let columns = leaves.iter().map(|&leaf| match before.row_groups.get(row_group)?.get(&leaf)? {
                CachedColumn::Host(chunk, of) => Some(RawColumn::Pages(chunk.clone(), *of)),
                CachedColumn::Gpu(..) => None,
            });
            if let Some(columns) = columns.collect::<Option<Vec<_>>>() {
                let mut raw = RawWindow::new(wanted);
                columns.into_iter().enumerate().for_each(|(index, column)| raw.insert(index, column));
                return Ok(raw);
            }
        }
        let options = RawOptions { counters, verify_checksums: self.engine.scan.verify_checksums };
        Ok(RawWindow::read(file, row_group, &wanted, leaves, &options).await?)
    }

    /// Moves pages to pinned memory.
    async fn pin(&self, raw: RawWindow) -> Result<(Vec<CachedColumn>, u64)> {
        let gpu = self.engine.gpu.clone();
        let raw =
            blocking(move || raw.pinned(&gpu).map_err(|error| Error::Execution(error.to_string()))).await?;
        let bytes = raw.bytes();
        let columns = raw.into_columns().into_iter().filter_map(|column| match column {
            RawColumn::Pages(chunk, of) => Some(CachedColumn::Host(chunk, of)),
            RawColumn::Staged(_) | RawColumn::Null | RawColumn::Constant(_) => None,
        });
        Ok((columns.collect(), bytes))
    }

    /// Puts columns on the GPU, and checks their pages. `plain` are the bytes that the footer says they have.
    async fn stage(&mut self, raw: RawWindow, plain: u64) -> Result<(Vec<CachedColumn>, u64)> {
        // A column whose values are read where they were copied to holds on to all pages that were copied with it.
        let plain_pages = |column: &RawColumn| match column {
            RawColumn::Pages(chunk, _) => has_plain_pages(chunk),
            RawColumn::Staged(_) | RawColumn::Null | RawColumn::Constant(_) => false,
        };
        let columns = raw.clone().into_columns();
        let (copied, decompressed): (Vec<usize>, Vec<usize>) =
            (0..columns.len()).partition(|&index| plain_pages(&columns[index]));
        let parts = [copied, decompressed].map(|part| (raw.clone().select(&part), part));
        let mut staged: Vec<Option<CachedColumn>> = columns.iter().map(|_| None).collect();
        let mut taken = 0;
        for (raw, part) in parts {
            if part.is_empty() {
                continue;
            }
            let memory = self.engine.decoder.memory(&raw).map_err(failed)?;
            taken += memory;
            self.check_room(plain, taken)?;
            let (engine, (copy, compute)) = (self.engine.clone(), self.streams.clone());
            let on_gpu = blocking(move || {
                Ok(engine.decoder.stage(&copy, &compute, &raw).and_then(|window| {
                    window.check(&compute)?;
                    Ok(window.into_columns())
                }))
            });
            let on_gpu: Vec<Arc<StagedColumn>> = on_gpu.await?.map_err(|error| match error {
                window::Error::Gpu(error) if error.is_out_of_memory() => self.no_room(plain, taken),
                other => failed(other),
            })?;
            // strings of a length that only their decoding told
            let buffers =
                on_gpu.first().map_or(0, |column| column.buffers().iter().map(|b| b.len() as u64).sum());
            taken = taken - memory + buffers;
            for (index, column) in part.into_iter().zip(on_gpu) {
                staged[index] = Some(CachedColumn::Gpu(column, page_rows(&columns[index])));
            }
        }
        self.plain_done += plain;
        self.staged += taken;
        Ok((staged.into_iter().flatten().collect(), taken))
    }

    /// Bytes of GPU memory that tables may take together.
    fn room(&self) -> u64 {
        self.engine.gpu.memory_limit() as u64 / 4 * QUARTERS
    }

    /// Whether there is room for so many bytes more.
    fn check_room(&self, plain: u64, more: u64) -> Result<()> {
        let taken = self.engine.cache.gpu_bytes() + self.staged + more;
        if taken > self.room() { Err(self.no_room(plain, more)) } else { Ok(()) }
    }

    /// The error where there is none for `more` bytes of columns, `plain` decompressed.
    fn no_room(&self, plain: u64, more: u64) -> Error {
        let (done, whole) = (u128::from(self.plain_done + plain), u128::from(self.plain));
        let known = u128::from(self.staged + more);
        let needed = (known * whole.max(done) / done.max(1)) as u64;
        let (name, limit) = (self.name, self.engine.gpu.memory_limit() as u64);
        let in_use = (self.engine.gpu.memory_used() as u64).saturating_sub(self.staged);
        Error::Execution(format!(
            "{name} needs about {} of GPU memory; tables may take {} of {} there, and {} are in use; CACHE TABLE {name} IN \
             host keeps its compressed pages in host memory",
            megabytes(needed),
            megabytes(self.room()),
            megabytes(limit),
            megabytes(in_use),
        ))
    }
}

fn stream(engine: &Engine, name: &'static str) -> Result<Stream> {
    engine.gpu.stream(name).map_err(|error| Error::Execution(error.to_string()))
}

/// The leaves that kernels read, and why they don't read others.
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

/// Decompressed bytes of columns of a row group, as the footer has it.
fn plain_bytes(file: &ParquetFile, row_group: usize, leaves: &[usize]) -> u64 {
    let chunks = file.metadata().row_groups().get(row_group).map_or(&[][..], |group| group.columns());
    let chunks = leaves.iter().filter_map(|&leaf| chunks.get(leaf));
    chunks.map(|chunk| chunk.uncompressed_size().max(0) as u64).sum()
}

/// Whether some values of a chunk are not compressed. Sizes that contradict each other are for staging to find.
fn has_plain_pages(chunk: &RawChunk) -> bool {
    chunk
        .dictionary
        .iter()
        .chain(&chunk.pages)
        .any(|page| chunk.body(page).is_ok_and(|body| body.plain_size.is_none() && !body.values.is_empty()))
}

fn page_rows(column: &RawColumn) -> Vec<std::ops::Range<usize>> {
    match column {
        RawColumn::Pages(chunk, _) => chunk.pages.iter().map(|page| page.rows.clone()).collect(),
        RawColumn::Staged(_) | RawColumn::Null | RawColumn::Constant(_) => Vec::new(),
    }
}

fn failed(error: window::Error) -> Error {
    match error {
        window::Error::Pages(error) => Error::Pages(error),
        other => Error::Execution(other.to_string()),
    }
}

/// Does what takes long, or waits for a GPU, on a thread for such things.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::Internal(error.to_string())))
}
