//! Removal of the hidden files of killed processes.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::hidden::is_hidden_name;

/// Pause before a folder is searched again, in multiples of the last search's time. It bounds the
/// share of time that a process spends on searches if it writes many files to a large folder.
const PAUSE: u32 = 50;

/// Time that a thread reserves for its search. If a search takes longer, others may start one.
const SEARCH: Duration = Duration::from_secs(60);

type Pauses = HashMap<PathBuf, Instant>;

fn paused() -> MutexGuard<'static, Pauses> {
    /// End of the pause of each recently searched folder.
    static PAUSED: LazyLock<Mutex<Pauses>> = LazyLock::new(Mutex::default);
    PAUSED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes hidden files that belong to no process, unless the folder was searched recently. Returns
/// whether it searched.
pub fn sweep(folder: &Path) -> bool {
    let started = Instant::now();
    {
        let mut paused = paused();
        paused.retain(|_, until| *until > started);
        if paused.contains_key(folder) {
            return false;
        }
        // Keeps other threads from searching at the same time.
        paused.insert(folder.to_owned(), started + SEARCH);
    }
    remove_stale(folder);
    let took = started.elapsed();
    paused().insert(folder.to_owned(), started + took * PAUSE);
    true
}

/// Removes hidden files that belong to no process. A file stays if it can't be opened for writing
/// or locked, since it may be in use.
pub(super) fn remove_stale(folder: &Path) {
    let entries = if has_local_locks(folder) { None } else { fs::read_dir(folder).ok() };
    for entry in entries.into_iter().flatten().flatten() {
        let is_file = || entry.file_type().is_ok_and(|kind| kind.is_file());
        if entry.file_name().to_str().is_some_and(is_hidden_name) && is_file() {
            remove_if_unlocked(&entry.path());
        }
    }
}

/// Removes a hidden file if its lock is free. The owner holds the lock for as long as the file has
/// the name, so the name can't have passed to another file.
fn remove_if_unlocked(path: &Path) {
    // Network file systems require write access for an exclusive lock.
    if let Ok(file) = File::options().read(true).write(true).open(path)
        && file.try_lock().is_ok()
    {
        let _ = fs::remove_file(path);
    }
}

/// Returns whether locks of other machines may be invisible in this folder. FUSE delegates locks to
/// its servers, and most of them keep locks on one machine.
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
