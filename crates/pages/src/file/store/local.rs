//! Files of the local file system, read on the caller's thread where that does not wait.
//!
//! Bytes in the system's page cache are copied at once. A blocking thread would copy them as fast,
//! but to wake it, and the caller after it, takes longer than the copy of a small range. Bytes that
//! have to come from a disk are left to a blocking thread.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path as FilePath;
use std::time::UNIX_EPOCH;

use bytes::Bytes;
use object_store::ObjectMeta;
use object_store::path::Path;
use pelton_job::InputBuffer;
use tokio::runtime::Handle;

/// Longest range that is copied on the caller's thread. The copy of a longer one is worth the time
/// of a second thread.
const MOST_AT_ONCE: usize = 1 << 20;

/// Returns the attributes of a file as `object_store` has them.
///
/// # Errors
/// The file system has no times of changes.
pub(crate) fn attributes(location: Path, data: &Metadata) -> io::Result<ObjectMeta> {
    let modified = data.modified()?;
    let (size, tag) = (data.len(), Some(tag(data)?));
    Ok(ObjectMeta { location, last_modified: modified.into(), size, e_tag: tag, version: None })
}

/// Returns the entity tag of a version of a file, as `object_store` has it.
fn tag(data: &Metadata) -> io::Result<String> {
    let time = data.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    Ok(format!("{:x}-{time:x}-{:x}", data.ino(), data.len()))
}

/// Returns whether a path leads to another version of a file than the one with this tag. A deleted
/// file does not count, because an open one can still be read.
pub(super) fn has_changed(path: &FilePath, known: Option<&str>) -> bool {
    let now = std::fs::metadata(path).and_then(|data| tag(&data));
    known.is_some_and(|known| now.is_ok_and(|now| now != known))
}

/// Opens the version of a file with this tag; `None`: the path leads to another version. A pipe in
/// the file's place is not waited for.
///
/// # Errors
/// The file can't be opened, or something else is in its place.
pub(super) fn open(path: &FilePath, known: Option<&str>) -> io::Result<Option<File>> {
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let data = file.metadata()?;
    if !data.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let is_other = match known {
        Some(known) => tag(&data)? != known,
        None => false,
    };
    Ok((!is_other).then_some(file))
}

/// Fills a buffer from `start` on.
///
/// # Errors
/// The file can't be read, or is shorter.
pub(super) async fn read(file: File, start: u64, mut buffer: InputBuffer) -> io::Result<Bytes> {
    let bytes = buffer.as_mut_slice();
    let read = if bytes.len() <= MOST_AT_ONCE { read_present(&file, start, bytes) } else { 0 };
    if read == bytes.len() {
        return Ok(buffer.finish());
    }
    let rest = move || {
        file.read_exact_at(&mut buffer.as_mut_slice()[read..], start + read as u64)?;
        Ok(buffer.finish())
    };
    match Handle::try_current() {
        Ok(runtime) => runtime.spawn_blocking(rest).await.map_err(io::Error::other)?,
        Err(_) => rest(),
    }
}

/// Copies bytes from `start` on, as far as the system has them in memory. Returns their number.
#[cfg(target_os = "linux")]
fn read_present(file: &File, start: u64, bytes: &mut [u8]) -> usize {
    use rustix::io::{ReadWriteFlags, preadv2};
    let mut read = 0;
    while read < bytes.len() {
        let mut rest = [io::IoSliceMut::new(&mut bytes[read..])];
        match preadv2(file, &mut rest, start + read as u64, ReadWriteFlags::NOWAIT) {
            Ok(0) | Err(_) => break,
            Ok(more) => read += more,
        }
    }
    read
}

#[cfg(not(target_os = "linux"))]
fn read_present(_: &File, _: u64, _: &mut [u8]) -> usize {
    0
}

#[cfg(test)]
mod tests;
