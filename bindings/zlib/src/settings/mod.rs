//! Settings: from `/etc/pelton/zlib.toml` and from the environment, which wins.
//!
//! They are read when the library is loaded, so that a call in a sandbox opens no file. In a host
//! that links the crate, the first call that needs them reads them, without a lock: a child of
//! `fork` that was born meanwhile reads them again. The first call also reports mistakes, once a
//! process; they are ignored.
//!
//! | file | contents |
//! |---|---|
//! | `devices.rs` | the list of devices |
//! | `value.rs` | the settings and their accepted values |
//! | `read.rs` | the file, and the environment over it |
//! | `toml.rs` | the lines of the file |

mod devices;
mod read;
mod toml;
mod value;

#[cfg(test)]
mod tests;

use std::cell::UnsafeCell;
use std::ffi::OsString;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

pub use devices::Devices;
pub use value::{Settings, Stats};

use crate::process::keeping_errno;
use crate::warn::{log_from, warn};

static SETTINGS: AtomicPtr<Settings> = AtomicPtr::new(null_mut());

/// Returns the settings, which are the same from the first call on.
pub fn settings() -> &'static Settings {
    // SAFETY: null, or settings that are never freed.
    match unsafe { SETTINGS.load(Ordering::Acquire).as_ref() } {
        Some(settings) => settings,
        None => first(),
    }
}

/// Settings that were read when the library was loaded. They are not on the heap, which would keep
/// those of each time that a program loads the library.
struct Loaded {
    settings: UnsafeCell<MaybeUninit<Settings>>,
    is_read: AtomicBool,
    /// Mistakes that no call has reported; null if there are none.
    warnings: AtomicPtr<Vec<String>>,
}

// SAFETY: `prepare` writes the cell once, before any call, and it is only read after `is_read`.
unsafe impl Sync for Loaded {}

static LOADED: Loaded = Loaded {
    settings: UnsafeCell::new(MaybeUninit::uninit()),
    is_read: AtomicBool::new(false),
    warnings: AtomicPtr::new(null_mut()),
};

/// Reads the settings when the library is loaded.
pub fn prepare() {
    let (settings, warnings) = keeping_errno(read::read);
    // SAFETY: the loader calls this once, before any other function of the library.
    unsafe { (*LOADED.settings.get()).write(settings) };
    if !warnings.is_empty() {
        LOADED.warnings.store(Box::into_raw(Box::new(warnings)), Ordering::Relaxed);
    }
    LOADED.is_read.store(true, Ordering::Release);
}

/// Makes the settings those that were read at loading, or reads them. If several threads do so at
/// once, one wins.
#[cold]
fn first() -> &'static Settings {
    if !LOADED.is_read.load(Ordering::Acquire) {
        let (settings, warnings) = keeping_errno(read::read);
        return keep(Box::new(settings), warnings);
    }
    let loaded = LOADED.settings.get().cast::<Settings>();
    let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
    let _ = SETTINGS.compare_exchange(null_mut(), loaded, success, failure);
    let warnings = LOADED.warnings.swap(null_mut(), Ordering::Acquire);
    // SAFETY: `is_read` was set after the settings were written; they are not written again. The
    // warnings came from `prepare`, and the swap has taken them.
    let (settings, warnings) =
        unsafe { (&*loaded, if warnings.is_null() { Vec::new() } else { *Box::from_raw(warnings) }) };
    report(settings, &warnings);
    settings
}

/// Warns of mistakes, and begins to write log records.
fn report(settings: &Settings, warnings: &[String]) {
    keeping_errno(|| warnings.iter().for_each(|line| warn(line)));
    log_from(settings.log);
}

/// Reads the settings from values in place of the environment's variables, for a host with
/// settings of its own. Settings that a call has read before stay.
pub fn configure(variable: impl Fn(&str) -> Option<OsString>) {
    if SETTINGS.load(Ordering::Acquire).is_null() {
        let (settings, warnings) = read::read_with(variable);
        keep(Box::new(settings), warnings);
    }
}

/// Keeps settings, unless another thread was first, and warns of their mistakes.
fn keep(settings: Box<Settings>, warnings: Vec<String>) -> &'static Settings {
    let ours = Box::into_raw(settings);
    let kept = SETTINGS.compare_exchange(null_mut(), ours, Ordering::AcqRel, Ordering::Acquire);
    match kept {
        Ok(_) => {
            // SAFETY: never freed from now on.
            let settings = unsafe { &*ours };
            report(settings, &warnings);
            settings
        }
        Err(theirs) => {
            // SAFETY: no other thread has seen ours; theirs is never freed.
            unsafe {
                drop(Box::from_raw(ours));
                &*theirs
            }
        }
    }
}
