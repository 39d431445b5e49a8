//! Removal of the hidden files and folders of killed processes.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::hidden::{is_hidden_name, remove};

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

/// Removes hidden files and folders that belong to no process. One stays if it can't be opened or
/// locked, since it may be in use.
pub(super) fn remove_stale(folder: &Path) {
    let entries = if has_local_locks(folder) { None } else { fs::read_dir(folder).ok() };
    for entry in entries.into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_hidden_name)
            && let Ok(kind) = entry.file_type()
            && (kind.is_file() || kind.is_dir())
        {
            remove_if_unlocked(&entry.path(), kind.is_file());
        }
    }
}

/// Removes a hidden file or folder if its lock is free. The owner holds the lock for as long as the
/// file has the name. After that, only a folder that another one has replaced has it.
fn remove_if_unlocked(path: &Path, is_file: bool) {
    // Network file systems require write access for an exclusive lock. A folder has none.
    if let Ok(file) = File::options().read(true).write(is_file).open(path)
        && file.try_lock().is_ok()
    {
        remove(path);
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
