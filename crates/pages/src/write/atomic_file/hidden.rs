//! Hidden names of unfinished files.
//!
//! A file that may get a hidden name is locked by `flock` while it is open. An unlocked hidden file
//! therefore belongs to a process that has ended.

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

/// Removes every unfinished file that has a name. For processes that end without dropping values.
pub fn remove_partial_files() {
    for path in unfinished().drain(..) {
        // At the end of the process no caller can handle an error.
        let _ = fs::remove_file(path);
    }
}

/// Returns whether a name has the form of hidden names, of this process or another.
pub fn is_hidden_name(name: &str) -> bool {
    let number = name.strip_prefix(PREFIX).and_then(|name| name.strip_suffix(SUFFIX));
    number.is_some_and(|number| number.len() == DIGITS && number.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Hidden name of a file, removed on drop.
#[derive(Debug)]
pub struct HiddenName(PathBuf);

impl HiddenName {
    /// Calls `make` with unused hidden names until it succeeds, and returns its result and the
    /// name.
    ///
    /// # Errors
    /// Those of `make`, except that the name exists.
    pub fn given<T>(folder: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(T, Self)> {
        loop {
            // Each `RandomState` of a thread has new keys. A forked process repeats those of its
            // parent, so the process id is hashed.
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
    /// The rename fails. The hidden name is removed then too.
    pub fn rename(self, name: &Path) -> io::Result<()> {
        fs::rename(&self.0, name)
    }
}

impl Drop for HiddenName {
    fn drop(&mut self) {
        // fails after a rename, since the name no longer exists
        let _ = fs::remove_file(&self.0);
        unfinished().retain(|other| *other != self.0);
    }
}

/// Creates a locked file with a hidden name.
///
/// # Errors
/// No file can be created in the folder.
pub fn create(folder: &Path) -> io::Result<(File, HiddenName)> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    loop {
        let (file, hidden) = HiddenName::given(folder, |path| options.open(path))?;
        // Before the lock, another process may have taken it for the file of an ended process.
        if !is_locked_by_another(&file) && !is_removed(&file)? {
            return Ok((file, hidden));
        }
    }
}

/// Locks a file that will get a hidden name; returns whether another process has the lock. Where
/// locks are not supported, no hidden files are removed.
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
