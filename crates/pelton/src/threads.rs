//! The threads that queries run on.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::time::Duration;

use pelton_registry::runtime;
use tokio::runtime::{Handle, Runtime};

/// Maximum time that the end of an engine waits for its tasks, which remove their temporary files
/// when they next yield. An operator inside a longer step is abandoned.
const PATIENCE: Duration = Duration::from_secs(1);

/// Stack of a thread, in bytes: twice the amount that chains of operators deeper than the limit on
/// statements were seen to need. Untouched pages of a stack take no memory.
const STACK: usize = 16 << 20;

/// Async runtime with a bounded wait at its end.
#[derive(Debug)]
pub(crate) struct Threads {
    handle: Handle,
    /// `None` only while this is dropped.
    runtime: Option<Runtime>,
}

impl Threads {
    /// Starts `count` threads.
    pub fn start(count: usize) -> io::Result<Self> {
        let runtime = runtime(count, "pelton-query", STACK)?;
        Ok(Self { handle: runtime.handle().clone(), runtime: Some(runtime) })
    }

    /// Runs a future to its end on the caller's thread, which may have little stack left.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.handle.block_on(async {
            let mut future = pin!(future);
            poll_fn(|context| stacker::maybe_grow(STACK, STACK, || future.as_mut().poll(context))).await
        })
    }

    /// Returns the handle that tasks are spawned on.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // waiting would block a thread of the caller's own runtime
            let patience = if Handle::try_current().is_ok() { Duration::ZERO } else { PATIENCE };
            runtime.shutdown_timeout(patience);
        }
    }
}
