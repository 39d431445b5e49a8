//! What the library is told: by `/etc/pelton/zlib.toml`, and by the environment, which wins.
//!
//! Read when a call first needs it, without a lock: a child of `fork` that was born while another
//! thread read them reads them itself. What is not right is said once a process, and ignored.
//!
//! | file | what |
//! |---|---|
//! | `devices.rs` | the devices that are to be asked |
//! | `value.rs` | the settings, and which values each accepts |
//! | `read.rs` | the file and the environment, one over the other |
//! | `toml.rs` | the lines of the file |

mod devices;
mod read;
mod toml;
mod value;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicPtr, Ordering};

pub use devices::Devices;
pub use value::{Settings, Stats};

use crate::process::keeping_errno;
use crate::warn::warn;

static SETTINGS: AtomicPtr<Settings> = AtomicPtr::new(std::ptr::null_mut());

/// The settings, which stay the same from the first call on.
pub fn settings() -> &'static Settings {
    // SAFETY: null, or settings that are never freed.
    match unsafe { SETTINGS.load(Ordering::Acquire).as_ref() } {
        Some(settings) => settings,
        None => first(),
    }
}

/// Reads them. If threads do so at once, one of them has its settings kept, and complains.
#[cold]
fn first() -> &'static Settings {
    let (settings, warnings) = keeping_errno(read::read);
    let ours = Box::into_raw(Box::new(settings));
    let kept = SETTINGS.compare_exchange(std::ptr::null_mut(), ours, Ordering::AcqRel, Ordering::Acquire);
    match kept {
        Ok(_) => {
            keeping_errno(|| warnings.iter().for_each(|line| warn(line)));
            // SAFETY: never freed from now on.
            unsafe { &*ours }
        }
        Err(theirs) => {
            // SAFETY: nobody else has seen ours; theirs is never freed.
            unsafe {
                drop(Box::from_raw(ours));
                &*theirs
            }
        }
    }
}
