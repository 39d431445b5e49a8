//! Hidden names of unfinished files and folders.
//!
//! A file or folder that may get a hidden name is locked by `flock` while it is open. An unlocked
//! hidden one therefore belongs to a process that has ended.

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

/// Removes every unfinished file or folder that has a name. For processes that end without dropping
/// values.
pub fn remove_partial_files() {
    for path in unfinished().drain(..) {
        remove(&path);
    }
}

/// Removes a file, or a folder with its contents. No caller can handle an error: the next write to
/// the folder tries again.
pub fn remove(path: &Path) {
    if fs::remove_file(path).is_err() {
        let _ = fs::remove_dir_all(path);
    }
}

/// Returns whether a name has the form of hidden names, of this process or another.
pub fn is_hidden_name(name: &str) -> bool {
    let number = name.strip_prefix(PREFIX).and_then(|name| name.strip_suffix(SUFFIX));
    number.is_some_and(|number| number.len() == DIGITS && number.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Hidden name of a file or folder, which is removed on drop.
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

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Gives the file its name, in place of any other file. A folder's name may be that of an empty
    /// one.
    ///
    /// # Errors
    /// The rename fails. The hidden name is removed then too.
    pub fn rename(self, name: &Path) -> io::Result<()> {
        fs::rename(&self.0, name)
    }
}

impl Drop for HiddenName {
    fn drop(&mut self) {
        // finds nothing after a rename, since the name no longer exists
        remove(&self.0);
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

/// Creates a locked folder with a hidden name.
///
/// # Errors
/// No folder can be created in the folder.
pub fn create_folder(folder: &Path) -> io::Result<(File, HiddenName)> {
    loop {
        let ((), hidden) = HiddenName::given(folder, |path| fs::create_dir(path))?;
        // Before the lock, another process may have removed it as that of an ended process.
        match File::open(hidden.path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => {
                let lock = opened?;
                if !is_locked_by_another(&lock) && hidden.path().is_dir() {
                    return Ok((lock, hidden));
                }
            }
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
