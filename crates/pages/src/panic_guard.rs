//! Panic guard: turns panics of foreign decoders on corrupt bytes into errors.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether this thread is inside of [`catch`].
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

static QUIET: Once = Once::new();

/// Runs `work`. A panic in it becomes `Err` with its message, and prints nothing.
///
/// After an `Err` the caller has to drop all state that `work` changes.
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

/// Installs a panic hook that is silent inside of [`catch`] and calls the previous one elsewhere. A
/// hook prints before the panic can be caught.
fn silence_guarded_panics() {
    let previous = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !GUARDED.get() {
            previous(info);
        }
    }));
}
