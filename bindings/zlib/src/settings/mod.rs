//! Settings: from `/etc/pelton/zlib.toml` and from the environment, which wins.
//!
//! They are read when a call first needs them, without a lock: a child of `fork` that was born
//! meanwhile reads them again. Mistakes are reported once a process, and ignored.
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

use std::ffi::OsString;
use std::sync::atomic::{AtomicPtr, Ordering};

pub use devices::Devices;
pub use value::{Settings, Stats};

use crate::process::keeping_errno;
use crate::warn::{log_from, warn};

static SETTINGS: AtomicPtr<Settings> = AtomicPtr::new(std::ptr::null_mut());

/// Returns the settings, which are the same from the first call on.
pub fn settings() -> &'static Settings {
    // SAFETY: null, or settings that are never freed.
    match unsafe { SETTINGS.load(Ordering::Acquire).as_ref() } {
        Some(settings) => settings,
        None => first(),
    }
}

/// Reads the settings. If several threads do so at once, one wins.
#[cold]
fn first() -> &'static Settings {
    keep(keeping_errno(read::read))
}

/// Reads the settings from values in place of the environment's variables, for a host with
/// settings of its own. Settings that a call has read before stay.
pub fn configure(variable: impl Fn(&str) -> Option<OsString>) {
    if SETTINGS.load(Ordering::Acquire).is_null() {
        keep(read::read_with(variable));
    }
}

/// Keeps settings, unless another thread was first, and warns of their mistakes.
fn keep((settings, warnings): (Settings, Vec<String>)) -> &'static Settings {
    let log = settings.log;
    let ours = Box::into_raw(Box::new(settings));
    let kept = SETTINGS.compare_exchange(std::ptr::null_mut(), ours, Ordering::AcqRel, Ordering::Acquire);
    match kept {
        Ok(_) => {
            keeping_errno(|| warnings.iter().for_each(|line| warn(line)));
            log_from(log);
            // SAFETY: never freed from now on.
            unsafe { &*ours }
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
