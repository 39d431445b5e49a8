//! Output of the statistics when the process ends.

use std::os::fd::AsRawFd;

use super::{COUNTERS, table};
use crate::offload;
use crate::process::keeping_errno;
use crate::settings::{Stats, settings};
use crate::warn::{escaped, warn, write_all};

/// Registers the output at exit or `dlclose`, and the reset of the counters in a child of `fork`.
/// Unloading the library runs or removes both registrations.
pub fn prepare() {
    // SAFETY: the functions take nothing, and are there as long as they may be called.
    unsafe {
        libc::atexit(print);
        libc::pthread_atfork(None, None, Some(child));
    }
}

/// Resets the counters in a child of `fork`, as the parent reports its own calls.
extern "C" fn child() {
    COUNTERS.clear();
}

/// Returns the counters of the process as text; empty if nothing was counted.
pub fn statistics() -> String {
    let mut text = table::text(&COUNTERS, settings(), &process());
    if !text.is_empty() {
        text += &offload::report();
    }
    text
}

extern "C" fn print() {
    let text = statistics();
    if text.is_empty() {
        return;
    }
    let settings = settings();
    keeping_errno(|| match &settings.stats {
        Stats::Off => {}
        Stats::Stderr => write_all(libc::STDERR_FILENO, text.as_bytes()),
        // One call appends all of it, so that processes don't mix their lines.
        Stats::File(path) => match std::fs::OpenOptions::new().append(true).create(true).open(path) {
            Ok(file) => write_all(file.as_raw_fd(), text.as_bytes()),
            Err(error) => {
                warn(&format!("statistics can't go to {}: {error}", escaped(&path.to_string_lossy())));
            }
        },
    });
}

/// Returns number and name of the process.
fn process() -> String {
    let name = std::fs::read_to_string("/proc/self/comm").unwrap_or_default();
    format!("process {} ({})", std::process::id(), escaped(name.trim_end()))
}
