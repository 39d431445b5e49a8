//! Hidden names, which files have for a moment, or until they are whole.
//!
//! A file that may get one is locked as long as it is open, by `flock`: a hidden name whose file is
//! not locked is that of a process that has ended.

use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

const PREFIX: &str = ".pelton-";
const SUFFIX: &str = ".partial";

/// Hexadecimal digits of a random number of 64 bits.
const DIGITS: usize = 16;

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

pub(super) fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every unfinished file that has a name, for when the process ends without dropping its
/// values.
pub fn remove_partial_files() {
    for path in unfinished().drain(..) {
        // It is the end of the process; nobody could be told of an error.
        let _ = fs::remove_file(path);
    }
}

/// Returns whether files of this process or of others may be called so while they are written.
pub fn is_hidden_name(name: &str) -> bool {
    let number = name.strip_prefix(PREFIX).and_then(|name| name.strip_suffix(SUFFIX));
    number.is_some_and(|number| number.len() == DIGITS && number.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// A hidden name of a file, removed when this is dropped.
#[derive(Debug)]
pub struct HiddenName(PathBuf);

impl HiddenName {
    /// Has `make` make a file whose name nothing has yet, and returns what that returns.
    ///
    /// # Errors
    /// As `make`, other than that there is one of that name.
    pub fn given<T>(folder: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(T, Self)> {
        loop {
            // Each `RandomState` of a thread has other keys than the last, but a forked process has
            // its parent's.
            let number = RandomState::new().hash_one(std::process::id());
            let path = folder.join(format!("{PREFIX}{number:0DIGITS$x}{SUFFIX}"));
            match make(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => {
                    let made = made?;
                    unfinished().push(path.clone());
                    return Ok((made, HiddenName(path)));
                }
            }
        }
    }

    /// Gives the file its name, in place of any other file.
    ///
    /// # Errors
    /// The system can't. The hidden name is gone then.
    pub fn rename(self, name: &Path) -> io::Result<()> {
        fs::rename(&self.0, name)
    }
}

impl Drop for HiddenName {
    fn drop(&mut self) {
        // After a rename nothing has the name any more.
        let _ = fs::remove_file(&self.0);
        unfinished().retain(|other| *other != self.0);
    }
}

/// Creates a locked file with a hidden name.
///
/// # Errors
/// The folder takes none.
pub fn create(folder: &Path) -> io::Result<(File, HiddenName)> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    loop {
        let (file, hidden) = HiddenName::given(folder, |path| options.open(path))?;
        // Before it was locked, another process may have found it and taken it for one that is left
        // over.
        if !is_locked_by_another(&file) && !is_removed(&file)? {
            return Ok((file, hidden));
        }
    }
}

/// Locks a file that is about to get a hidden name; returns whether another process was faster.
/// Where files can't be locked, none are swept.
pub fn is_locked_by_another(file: &File) -> bool {
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

#[cfg(unix)]
fn is_removed(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.nlink() == 0)
}

#[cfg(not(unix))]
fn is_removed(_file: &File) -> io::Result<bool> {
    Ok(false)
}
