//! Window: the entry for requests, a send window of the hardware or of the model.

use std::str::FromStr;

use crate::hw::Crb;

/// Linux's character device, which opens windows.
#[cfg(all(target_os = "linux", any(test, target_arch = "powerpc64")))]
pub(crate) const DEVICE: &str = "/dev/crypto/nx-gzip";

/// Limits of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of requests in flight.
    pub credits: usize,
    /// Maximum bytes of a request's source, with the history, and of its target, if the system
    /// enforces one: PowerVM rejects pastes of longer requests.
    pub max_bytes: Option<usize>,
}

/// Kind of credits that a window's requests take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Credits {
    /// Those that partitions share. The requests wait in the engine's normal queue.
    #[default]
    Shared,
    /// Those that PowerVM's administrator has assigned to this partition (quality of service). The
    /// requests wait in the engine's queue of high priority. Linux outside of PowerVM has no such
    /// credits, and opens a window with shared ones.
    Guaranteed,
}

impl FromStr for Credits {
    /// A line that lists the possible names.
    type Err = String;

    fn from_str(name: &str) -> Result<Credits, String> {
        match name {
            "shared" => Ok(Credits::Shared),
            "guaranteed" => Ok(Credits::Guaranteed),
            _ => Err(format!("there are no credits {name:?}; there are shared and guaranteed ones")),
        }
    }
}

/// Result of a paste.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pasted {
    /// The engine has the request.
    Accepted,
    /// No credit, a full queue, or an interrupted copy. Try again.
    Busy,
    /// The window was suspended or closed. Close it and open another.
    Suspended,
}

/// The entry for requests. Safe to use from many threads at once.
pub trait Window: Send + Sync {
    /// Returns the limits.
    fn limits(&self) -> Limits;

    /// Pastes a request into the engine's queue. Does not wait.
    ///
    /// # Safety
    /// The engine accesses the memory that the request names, its status block and the parameter
    /// block behind that until the status block is valid or [`close`](Window::close) has returned.
    /// Until then the memory has to stay allocated, nothing else may write it, and nothing else may
    /// read the parts that the engine writes. The status block has to be empty before the call.
    #[allow(unsafe_code)]
    unsafe fn paste(&self, request: &Crb) -> Pasted;

    /// Closes the window. After the return the engine accesses no memory named to this window and
    /// writes no status block, and [`paste`](Window::paste) accepts nothing.
    fn close(&self);
}
