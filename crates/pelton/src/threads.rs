//! The threads that queries run on.

use std::io;

use tokio::runtime::{Builder, Handle, Runtime};

/// An async runtime that nobody waits for at its end: an operator in the middle of a long step would hold up whoever
/// drops an engine, and nobody wants what it makes.
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
            runtime.shutdown_background();
        }
    }
}
