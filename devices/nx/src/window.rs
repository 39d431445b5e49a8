//! Window: the entry for requests, a send window of the hardware or of the model.

use crate::hw::Crb;

/// Limits of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of requests in flight.
    pub credits: usize,
    /// Maximum source bytes of a request, if the system enforces one (PowerVM).
    pub max_bytes: Option<usize>,
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
