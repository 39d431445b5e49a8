//! Files that are being written, under a temporary name in the folder where they will be.
//!
//! [`PartialFile::commit`] gives the file its name, in one step. One that is dropped before is removed, and so can all be
//! when a process ends on the spot.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every unfinished file, for when the process ends without dropping what it has.
pub fn remove_partial_files() {
    for path in unfinished().drain(..) {
        // It is the end of the process; who could be told?
        let _ = fs::remove_file(path);
    }
}

/// A file without its name yet, and a guard: nothing is left of one that is dropped.
#[derive(Debug)]
pub struct PartialFile {
    file: NamedTempFile,
    name: PathBuf,
    _noted: Noted,
}

/// A path among the unfinished ones.
#[derive(Debug)]
struct Noted(PathBuf);

impl Noted {
    fn new(path: &Path) -> Self {
        unfinished().push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        unfinished().retain(|other| *other != self.0);
    }
}

impl PartialFile {
    /// Creates a file that will be called `name`. A link's target is replaced, not the link, if the target is there.
    ///
    /// # Errors
    /// A file can't be created in its folder, or the name is that of a folder, a device, a pipe or a socket, which a file must
    /// not replace.
    pub fn create(name: &Path) -> io::Result<Self> {
        let name = fs::canonicalize(name).unwrap_or_else(|_| name.to_owned());
        if let Ok(there) = fs::metadata(&name)
            && !there.is_file()
        {
            let what =
                if there.is_dir() { "it is a folder" } else { "a device or pipe is no place for a file" };
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let folder = match name.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".pelton-").suffix(".partial");
        // As the user's other files, not the private kind that temporary files are.
        if let Some(permissions) = permissions(&name) {
            builder.permissions(permissions);
        }
        let file = builder.tempfile_in(folder).map_err(|error| reason(error, folder))?;
        let noted = Noted::new(file.path());
        Ok(PartialFile { file, name, _noted: noted })
    }

    /// Sees to it that the bytes are on disk, and gives the file its name.
    ///
    /// # Errors
    /// The disk does not take them, or the name can't be given. What had the name before still has it.
    pub fn commit(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist(&self.name).map(|_: File| ()).map_err(|error| error.error)
    }
}

impl Write for PartialFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Why there is no file, without the temporary name that it would have had.
fn reason(error: io::Error, folder: &Path) -> io::Error {
    let (kind, shown) = (error.kind(), folder.display());
    let what = match kind {
        io::ErrorKind::NotFound if folder.symlink_metadata().is_err() => {
            format!("there is no folder {shown}; make it first")
        }
        io::ErrorKind::NotADirectory => format!("{shown} is no folder"),
        // The system's words, after which comes the name.
        _ => {
            let text = error.to_string();
            text.split(" at path ").next().unwrap_or_default().to_owned()
        }
    };
    io::Error::new(kind, what)
}

/// The permissions of the file that is replaced, else what the process's mask leaves of reading and writing.
#[cfg(unix)]
fn permissions(name: &Path) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(fs::metadata(name).map_or_else(|_| Permissions::from_mode(0o666), |old| old.permissions()))
}

#[cfg(not(unix))]
fn permissions(_name: &Path) -> Option<Permissions> {
    None
}

#[cfg(test)]
#[path = "partial_tests.rs"]
mod tests;
