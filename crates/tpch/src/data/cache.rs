//! Cache of data sets on disk.
//!
//! A data set is a folder `tpch-sf<scale factor>-<codec>` with one Parquet file a table and
//! `manifest.json`. It is written as `….partial` and renamed when it is whole, under a lock, so
//! that a process that was stopped half way leaves nothing that looks finished, and two processes
//! never make the same one at once.

use std::env;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use pelton::codec::{Format, Window};
use pelton::{CancelHandle, Engine, Packing};
use serde::{Deserialize, Serialize};

use super::codec::Codec;
use super::table::Table;
use super::write::{Progress, write_tables};
use crate::Error;

/// Version of the written files; a change to them raises it, so that older caches are made anew.
const FORMAT_VERSION: u32 = 1;

/// Accepted scale factors: below, tables are so small that keys between them do not match as in the
/// specification; above, tpchgen's 32-bit part keys would overflow.
const SCALE_FACTORS: std::ops::RangeInclusive<f64> = 0.001..=10_000.0;

/// A TPC-H data set on disk.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// The folder with the Parquet files.
    pub folder: PathBuf,
    /// The scale factor: 1 is about 1 GB of text.
    pub scale_factor: f64,
    /// The codec of every column.
    pub codec: Codec,
    /// One for each table, in the order of [`Table::ALL`].
    pub files: Vec<TableFile>,
}

/// One table's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFile {
    /// The table.
    pub table: Table,
    /// Its Parquet file.
    pub path: PathBuf,
    /// Rows in it.
    pub rows: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
}

/// Description of a data set, in its folder. The scale factor is text, so that it compares exactly.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    version: u32,
    scale_factor: String,
    codec: String,
    tables: Vec<ManifestTable>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ManifestTable {
    name: String,
    rows: u64,
    bytes: u64,
}

/// Returns the folder data sets are kept in when none is named: `$XDG_CACHE_HOME/pelton`, else
/// `~/.cache/pelton`.
pub fn default_cache_folder() -> Result<PathBuf, Error> {
    let variable = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    variable("XDG_CACHE_HOME")
        .or_else(|| variable("HOME").map(|home| home.join(".cache")))
        .map(|cache| cache.join("pelton"))
        .ok_or_else(|| {
            Error::Argument("neither XDG_CACHE_HOME nor HOME is set: name a folder for the data".into())
        })
}

/// Finds the data set in `cache`, or makes it there with `threads` threads.
///
/// `progress` is called from those threads, a few times a second each, and not at all if the data
/// set exists.
pub fn ensure(
    cache: &Path,
    scale_factor: f64,
    codec: Codec,
    threads: usize,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Dataset, Error> {
    if !SCALE_FACTORS.contains(&scale_factor) {
        return Err(Error::Argument(format!(
            "scale factor {scale_factor}: use one from {} to {}",
            SCALE_FACTORS.start(),
            SCALE_FACTORS.end()
        )));
    }
    let name = format!("tpch-sf{scale_factor}-{}", codec.slug());
    let folder = cache.join(&name);
    if let Some(dataset) = find(&folder, scale_factor, codec) {
        return Ok(dataset);
    }
    fs::create_dir_all(cache).map_err(|e| Error::io(cache, e))?;
    let lock_path = cache.join(format!("{name}.lock"));
    let lock = File::create(&lock_path).map_err(|e| Error::io(&lock_path, e))?;
    lock.lock().map_err(|e| Error::io(&lock_path, e))?;
    // Another process may have made it while this one waited for the lock.
    if let Some(dataset) = find(&folder, scale_factor, codec) {
        return Ok(dataset);
    }
    let partial = cache.join(format!("{name}.partial"));
    remove_folder(&partial)?;
    remove_folder(&folder)?;
    let made = match codec {
        Codec::Gzip4k => {
            let gzip = Codec::Gzip(parquet::basic::GzipLevel::default());
            ensure(cache, scale_factor, gzip, threads, progress)
                .and_then(|from| repack(&from, &partial, threads, progress))
                .and_then(|rows| finish(&partial, scale_factor, codec, &rows))
        }
        _ => make(&partial, scale_factor, codec, threads, progress),
    };
    if let Err(error) = made {
        remove_folder(&partial)?;
        return Err(error);
    }
    fs::rename(&partial, &folder).map_err(|e| Error::io(&folder, e))?;
    find(&folder, scale_factor, codec).ok_or_else(|| Error::Malformed {
        path: folder,
        reason: "the data set changed while it was made; run again".into(),
    })
}

fn make(
    folder: &Path,
    scale_factor: f64,
    codec: Codec,
    threads: usize,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(), Error> {
    fs::create_dir(folder).map_err(|e| Error::io(folder, e))?;
    let rows = write_tables(folder, scale_factor, codec, threads, progress)?;
    finish(folder, scale_factor, codec, &rows)
}

/// Writes the description of a data set, once its files are there.
fn finish(folder: &Path, scale_factor: f64, codec: Codec, rows: &[u64]) -> Result<(), Error> {
    let tables = Table::ALL
        .into_iter()
        .zip(rows)
        .map(|(table, &rows)| {
            let path = folder.join(table.file_name());
            let bytes = fs::metadata(&path).map_err(|e| Error::io(&path, e))?.len();
            Ok(ManifestTable { name: table.name().to_owned(), rows, bytes })
        })
        .collect::<Result<_, Error>>()?;
    let manifest = Manifest {
        version: FORMAT_VERSION,
        scale_factor: scale_factor.to_string(),
        codec: codec.to_string(),
        tables,
    };
    let path = folder.join("manifest.json");
    let text = serde_json::to_string_pretty(&manifest)
        .map_err(|e| Error::Malformed { path: path.clone(), reason: e.to_string() })?;
    fs::write(&path, text).map_err(|e| Error::io(&path, e))
}

/// Returns the data set in `folder`, if it is whole, of this version, and the requested one.
fn find(folder: &Path, scale_factor: f64, codec: Codec) -> Option<Dataset> {
    let text = fs::read_to_string(folder.join("manifest.json")).ok()?;
    let manifest: Manifest = serde_json::from_str(&text).ok()?;
    let as_asked = manifest.version == FORMAT_VERSION
        && manifest.scale_factor == scale_factor.to_string()
        && manifest.codec == codec.to_string()
        && manifest.tables.len() == Table::ALL.len();
    if !as_asked {
        return None;
    }
    let files = Table::ALL
        .into_iter()
        .zip(&manifest.tables)
        .map(|(table, entry)| {
            let path = folder.join(table.file_name());
            let whole = entry.name == table.name() && fs::metadata(&path).ok()?.len() == entry.bytes;
            whole.then_some(TableFile { table, path, rows: entry.rows, bytes: entry.bytes })
        })
        .collect::<Option<Vec<_>>>()?;
    Some(Dataset { folder: folder.to_owned(), scale_factor, codec, files })
}

fn remove_folder(folder: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io(folder, e)),
        _ => Ok(()),
    }
}

/// Writes a data set's files into a new folder, with gzip in a window of 4 KB, and returns their
/// row counts.
fn repack(
    from: &Dataset,
    folder: &Path,
    threads: usize,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Vec<u64>, Error> {
    fs::create_dir(folder).map_err(|e| Error::io(folder, e))?;
    let engine = Engine::builder().threads(threads).build().map_err(Error::engine)?;
    let packing = Packing::Gzip { window: Window::SMALL, level: Format::Gzip.default_level() };
    let rows_total = from.files.iter().map(|file| file.rows).sum();
    let mut rows_before = 0;
    for file in &from.files {
        let path = folder.join(file.table.file_name());
        let mut to = BufWriter::new(File::create(&path).map_err(|e| Error::io(&path, e))?);
        let source = file.path.to_str().ok_or_else(|| {
            Error::Argument(format!("{}: a path that is no text; name another folder", file.path.display()))
        })?;
        engine
            .repack(source, packing, &mut to, &CancelHandle::default(), &mut |done| {
                // progress is counted in rows
                let part = done.bytes_done as f64 / done.bytes_total.max(1) as f64;
                let rows_done = rows_before + (file.rows as f64 * part) as u64;
                progress(Progress { table: file.table, rows_done: rows_done.min(rows_total), rows_total });
            })
            .map_err(Error::engine)?;
        to.flush().map_err(|e| Error::io(&path, e))?;
        rows_before += file.rows;
    }
    Ok(from.files.iter().map(|file| file.rows).collect())
}

#[cfg(test)]
mod tests;
