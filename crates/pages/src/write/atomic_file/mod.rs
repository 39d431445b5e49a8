//! Atomic files: a file gets its name when all of its bytes are on disk, and not before.
//!
//! Until [`AtomicFile::commit`] the file has no name at all where the file system can do that
//! (`O_TMPFILE`), so that nothing remains of a process that is killed. A new name is then given by
//! one link. An existing file is replaced by a link to a hidden name and a rename; a kill between
//! the two leaves one whole file under the hidden name. File systems without unnamed files have the
//! bytes under a hidden name from the start. Hidden names of processes that have ended are removed
//! by the next write to the folder ([`sweep`]).

mod hidden;
mod sweep;
#[cfg(target_os = "linux")]
mod unnamed;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hidden::HiddenName;

pub use hidden::remove_partial_files;

/// A file without its name yet, and a guard: nothing remains of one that is dropped.
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    name: PathBuf,
    /// The name until it is whole, on file systems without unnamed files.
    hidden: Option<HiddenName>,
}

/// Symbolic links that Linux follows in a row.
const MAX_LINKS: usize = 40;

/// Returns whether the path is that of a device, a pipe, a socket or a descriptor of this process:
/// one that is written in place, because a file must not replace it.
pub fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) || is_descriptor(path)
}

/// Returns whether the path leads to an entry of `/proc/PID/fd`, as `/dev/stdout` does. Such a link
/// is no path: the file behind it may have none.
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

/// The folder that a file of this name is in.
fn folder_of(name: &Path) -> &Path {
    name.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

impl AtomicFile {
    /// Creates a file that will be called `name`. A symbolic link's target is replaced, not the
    /// link, if the target exists. The new file has the permissions of the file that it replaces,
    /// else those that the process's mask leaves.
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

    /// Sees to it that the bytes are on disk, and gives the file its name.
    ///
    /// # Errors
    /// The disk does not take them, or the name can't be given. A file that had the name before
    /// still has it.
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

/// The permissions of the file that is replaced. Its set-user-ID bit was meant for other contents.
#[cfg(unix)]
fn keep_permissions(file: &File, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(old.permissions().mode() & 0o777))
}

#[cfg(not(unix))]
fn keep_permissions(_file: &File, _old: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// The reason why no file can be created, in words that name the folder.
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
