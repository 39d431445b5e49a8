//! Errors as the numbers that Java receives, and the guard that makes one of a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use jni_sys::JNIEnv;

use crate::env::Env;
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

/// Runs a native method of the JDK's classes. An error becomes an exception, and the result 0.
pub fn throwing(env: *mut JNIEnv, call: impl FnOnce() -> Result<i64, Error>) -> i64 {
    let done = catch_unwind(AssertUnwindSafe(call)).unwrap_or(Err(Error::Internal));
    done.unwrap_or_else(|error| {
        // SAFETY: the virtual machine's own pointer.
        let env = unsafe { Env::new(env) };
        let (class, message) = match error {
            Error::OutOfMemory => (
                c"java/lang/OutOfMemoryError",
                Some(c"pelton: there is no memory outside the heap for a stream"),
            ),
            // The JDK has no text for it.
            Error::Argument => (c"java/lang/IllegalArgumentException", None),
            Error::Closed => (c"java/lang/IllegalStateException", Some(c"pelton: the stream is closed")),
            Error::Busy => {
                (c"java/lang/IllegalStateException", Some(c"pelton: another thread uses the stream"))
            }
            _ => (c"java/lang/InternalError", Some(c"pelton: an internal error of the compression library")),
        };
        env.throw(class, message);
        0
    })
}
