//! The threads that queries run on.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::time::Duration;

use pelton_registry::runtime;
use tokio::runtime::{Handle, Runtime};

/// How long the end of an engine waits for tasks to end, which remove their temporary files then.
/// They do when they next yield; an operator in the middle of a longer step holds nobody up, and
/// nobody wants what it makes.
const PATIENCE: Duration = Duration::from_secs(1);

/// Stack of a thread, in bytes. Statements are at most 4,000 operators deep, and chains of 6,000
/// were seen to be planned and evaluated in 8 MB. Pages of it that are never touched take no
/// memory.
const STACK: usize = 16 << 20;

/// An async runtime whose end does not wait for ever.
#[derive(Debug)]
pub(crate) struct Threads {
    handle: Handle,
    /// Taken when this is dropped.
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

    /// What tasks are given to.
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
