//! Atomic files: a file gets its name when all of its bytes are on disk.
//!
//! Until [`AtomicFile::commit`] the file has no name, where the file system supports that
//! (`O_TMPFILE`), so nothing remains of a process that is killed. A new name is one link. An
//! existing file is replaced by a link to a hidden name and a rename; a process killed between the
//! two leaves one complete file under the hidden name. Other file systems store the bytes under a
//! hidden name from the start. The next write to the folder removes hidden names of processes that
//! have ended ([`sweep`]).

mod folder;
mod hidden;
mod sweep;
#[cfg(target_os = "linux")]
mod unnamed;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hidden::HiddenName;

pub use folder::{AtomicFolder, Existing, is_data_file};
pub use hidden::remove_partial_files;

/// A file that has not got its name yet. Dropping it removes the bytes.
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    name: PathBuf,
    /// Its name until `commit`, on file systems without unnamed files.
    hidden: Option<HiddenName>,
}

/// Longest chain of symbolic links that Linux follows.
const MAX_LINKS: usize = 40;

/// Returns whether a path names a device, a pipe, a socket or a descriptor of this process. These
/// are written in place, because a file must not replace them.
pub fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) || is_descriptor(path)
}

/// Returns whether a path leads to an entry of `/proc/PID/fd`, as `/dev/stdout` does. Its target is
/// not always a path: the open file may have none.
fn is_descriptor(path: &Path) -> bool {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(to) = fs::read_link(&path) else { return false };
        let Ok(folder) = fs::canonicalize(folder_of(&path)) else { return false };
        if folder.starts_with("/proc") && folder.ends_with("fd") {
            return true;
        }
        path = folder.join(to);
    }
    false
}

/// Returns the folder of a path.
fn folder_of(name: &Path) -> &Path {
    name.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

impl AtomicFile {
    /// Creates a file that will be called `name`. A symbolic link's target is replaced, not the
    /// link, if the target exists. The new file has the permissions of the file that it replaces,
    /// or otherwise those of the process's mask.
    ///
    /// # Errors
    /// A file can't be created in its folder, or the name is that of a folder or of a stream
    /// ([`is_stream`]).
    pub fn create(name: &Path) -> io::Result<Self> {
        Self::create_as(name, true)
    }

    /// As [`AtomicFile::create`], without unnamed files if `unnamed` is false.
    fn create_as(name: &Path, unnamed: bool) -> io::Result<Self> {
        let refused = |what| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        if name.is_dir() {
            return refused("it is a folder");
        }
        if is_stream(name) {
            return refused("a device or pipe is no place for a file");
        }
        let shown = folder_of(name);
        let name = fs::canonicalize(name).or_else(|_| std::path::absolute(name))?;
        let folder = folder_of(&name);
        sweep::sweep(folder);
        let old = fs::metadata(&name).ok().filter(fs::Metadata::is_file);
        let (file, hidden) = open(folder, unnamed).map_err(|error| reason(error, shown))?;
        if let Some(old) = old {
            keep_permissions(&file, &old)?;
        }
        Ok(AtomicFile { file, name, hidden })
    }

    /// Writes the bytes to disk, so that [`AtomicFile::commit`] has only the name to give.
    ///
    /// # Errors
    /// The bytes can't be written.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Writes the bytes to disk, and gives the file its name.
    ///
    /// # Errors
    /// The bytes can't be written, or the name can't be given. An existing file of that name stays.
    pub fn commit(self) -> io::Result<()> {
        self.file.sync_all()?;
        match self.hidden {
            Some(hidden) => hidden.rename(&self.name),
            #[cfg(target_os = "linux")]
            None => unnamed::commit(&self.file, &self.name),
            #[cfg(not(target_os = "linux"))]
            None => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Creates a file without a name, or with a hidden one.
fn open(folder: &Path, unnamed: bool) -> io::Result<(File, Option<HiddenName>)> {
    #[cfg(target_os = "linux")]
    if unnamed && let Some(file) = unnamed::create(folder)? {
        return Ok((file, None));
    }
    let _ = unnamed;
    let (file, hidden) = hidden::create(folder)?;
    Ok((file, Some(hidden)))
}

/// Copies the permissions of the replaced file, except its set-user-ID bit, which was meant for
/// other contents.
#[cfg(unix)]
fn keep_permissions(file: &File, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(old.permissions().mode() & 0o777))
}

#[cfg(not(unix))]
fn keep_permissions(_file: &File, _old: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// Returns the error with a reason that names the folder.
fn reason(error: io::Error, folder: &Path) -> io::Error {
    let (kind, shown) = (error.kind(), folder.display());
    let what = match kind {
        io::ErrorKind::NotFound if folder.symlink_metadata().is_err() => {
            format!("there is no folder {shown}; make it first")
        }
        io::ErrorKind::NotADirectory => format!("{shown} is no folder"),
        io::ErrorKind::PermissionDenied => {
            format!("no permission to create files in folder {shown}; name another folder")
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            format!("folder {shown} is on a read-only file system; name another folder")
        }
        _ => return error,
    };
    io::Error::new(kind, what)
}

#[cfg(test)]
mod tests;
