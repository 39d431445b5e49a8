//! The threads that queries run on.

use std::io;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};

/// How long the end of an engine waits for tasks to end, which remove their temporary files then. They do when they next
/// yield; an operator in the middle of a longer step holds nobody up, and nobody wants what it makes.
const PATIENCE: Duration = Duration::from_secs(1);

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
        let runtime = Builder::new_multi_thread()
            .worker_threads(count)
            .thread_name("pelton-query")
            .enable_all()
            .build()?;
        Ok(Self { handle: runtime.handle().clone(), runtime: Some(runtime) })
    }

    /// What futures and tasks are given to.
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
