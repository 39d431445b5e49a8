//! Removal of hidden files that killed processes have left in a folder.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::hidden::is_hidden_name;

/// Time that has to pass until a folder is looked through again, in times of the last search: a
/// process that writes many files to a large folder spends a fiftieth of its time on searches.
const PAUSE: u32 = 50;

/// A search takes no longer, or other threads may search the folder as well.
const SEARCH: Duration = Duration::from_secs(60);

type Pauses = HashMap<PathBuf, Instant>;

fn paused() -> MutexGuard<'static, Pauses> {
    /// When folders may be looked through again, for those that may not yet.
    static PAUSED: LazyLock<Mutex<Pauses>> = LazyLock::new(Mutex::default);
    PAUSED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes hidden files that belong to no process, unless the folder was looked through a short
/// while ago; returns whether it was looked through now.
pub fn sweep(folder: &Path) -> bool {
    let started = Instant::now();
    {
        let mut paused = paused();
        paused.retain(|_, until| *until > started);
        if paused.contains_key(folder) {
            return false;
        }
        // Other threads leave it to this one.
        paused.insert(folder.to_owned(), started + SEARCH);
    }
    remove_left(folder);
    let took = started.elapsed();
    paused().insert(folder.to_owned(), started + took * PAUSE);
    true
}

/// Removes hidden files that belong to no process. One that can't be opened for writing, or whose
/// lock can't be had, may be in use, and stays.
pub(super) fn remove_left(folder: &Path) {
    let entries = if has_local_locks(folder) { None } else { fs::read_dir(folder).ok() };
    for entry in entries.into_iter().flatten().flatten() {
        let is_file = || entry.file_type().is_ok_and(|kind| kind.is_file());
        if entry.file_name().to_str().is_some_and(is_hidden_name) && is_file() {
            remove_if_unlocked(&entry.path());
        }
    }
}

/// Its owner has locked it from before it had the name to after it lost it, so that the name is not
/// another file's by now.
fn remove_if_unlocked(path: &Path) {
    // For writing: network file systems give the lock to nobody else.
    if let Ok(file) = File::options().read(true).write(true).open(path)
        && file.try_lock().is_ok()
    {
        let _ = fs::remove_file(path);
    }
}

/// Returns whether another machine may have a file here whose lock is not seen on this one. FUSE
/// leaves locks to its servers, most of which leave them to this machine.
#[cfg(target_os = "linux")]
fn has_local_locks(folder: &Path) -> bool {
    /// `FUSE_SUPER_MAGIC` of Linux's `magic.h`.
    const FUSE: u64 = 0x6573_5546;
    rustix::fs::statfs(folder)
        .map_or(true, |found| u64::try_from(found.f_type).is_ok_and(|kind| kind == FUSE))
}

#[cfg(not(target_os = "linux"))]
fn has_local_locks(_folder: &Path) -> bool {
    false
}
