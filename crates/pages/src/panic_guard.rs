//! A fence around decoders that are not ours: what they make of corrupt bytes may be a panic, and a
//! user sees an error.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether this thread is inside of [`catch`].
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

static QUIET: Once = Once::new();

/// Runs `work`; a panic in it becomes `Err` with its message, and prints nothing.
///
/// The state that `work` was changing is to be dropped after an `Err`, never used again.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    QUIET.call_once(silence_guarded_panics);
    let outer = GUARDED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    result.map_err(|payload| {
        let message = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = message.or_else(|| payload.downcast_ref::<String>().cloned());
        message.unwrap_or_else(|| "the decoder gave up".to_owned())
    })
}

/// The panic hook prints before a panic can be caught. This puts one in front of it that passes on
/// only what happens outside of [`catch`].
fn silence_guarded_panics() {
    let previous = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !GUARDED.get() {
            previous(info);
        }
    }));
}
