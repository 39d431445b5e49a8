//! A data set made of another one's files.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use pelton::codec::{Format, Window};
use pelton::{CancelHandle, Engine, Packing};

use super::cache::Dataset;
use super::write::Progress;
use crate::Error;

/// Writes a data set's files into a new folder, with gzip in a window of 4 KB, and returns their
/// row counts.
pub(super) fn repack(
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
                // rows are what a data set's progress is told in
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
