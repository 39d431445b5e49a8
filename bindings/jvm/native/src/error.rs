//! Errors as the numbers that Java receives, and the guard that makes one of a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::handles::Refused;

/// Errors as the numbers that Java receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i64)]
pub enum Error {
    /// The target is too small for the block.
    TooSmall = -1,
    /// The source is corrupt.
    Corrupt = -2,
    /// The source ends before the block does.
    Incomplete = -3,
    /// The handle is closed.
    Closed = -4,
    /// Another thread uses the handle.
    Busy = -5,
    /// There is no memory outside the heap.
    OutOfMemory = -6,
    /// The stream needs a dictionary.
    Dictionary = -7,
    /// An argument is wrong.
    Argument = -8,
    /// An internal error.
    Internal = -9,
}

/// Runs a native method. A panic becomes [`Error::Internal`], as it must not reach the virtual
/// machine.
pub fn guarded(call: impl FnOnce() -> Result<i64, Error>) -> i64 {
    let done = catch_unwind(AssertUnwindSafe(call)).unwrap_or(Err(Error::Internal));
    done.unwrap_or_else(|error| error as i64)
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Closed => Self::Closed,
            Refused::Busy => Self::Busy,
        }
    }
}
