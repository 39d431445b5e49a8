//! The threads that queries run on.

mod deep;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use pelton_query::{Error, Result};
use pelton_registry::runtime;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::oneshot;

use crate::cancel::CancelHandle;
pub(crate) use deep::Begun;
use deep::{DEEP, DeepThreads};

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
    deep: DeepThreads,
    /// `None` only while this is dropped.
    runtime: Option<Runtime>,
}

impl Threads {
    /// Starts `count` threads.
    pub fn start(count: usize) -> io::Result<Self> {
        let runtime = runtime(count, "pelton-query", STACK)?;
        Ok(Self { handle: runtime.handle().clone(), deep: DeepThreads::default(), runtime: Some(runtime) })
    }

    /// Runs a future to its end on the caller's thread, which may have little stack left.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        stacker::maybe_grow(STACK, DEEP, || self.handle.block_on(future))
    }

    /// Waits for a future that other threads complete, which takes little stack.
    pub fn wait<F: Future>(&self, future: F) -> F::Output {
        self.handle.block_on(future)
    }

    /// Runs a future to its end on a thread of its own, which is abandoned when `cancel` is used:
    /// it ends when the future next yields. A panic of the future goes on in the caller.
    ///
    /// # Errors
    /// The future's, and [`Error::Cancelled`].
    pub fn run<T, F>(
        self: &Arc<Self>,
        cancel: &CancelHandle,
        start: impl FnOnce() -> F + Send + 'static,
    ) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>>,
    {
        let (done, result) = oneshot::channel();
        let input = (self.clone(), start, done);
        let work = |(threads, start, done)| perform(threads, start, done);
        if let Err(Some((threads, start, done))) = self.begin(input, work) {
            perform(threads, start, done);
        }
        self.wait(async {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(Error::Cancelled),
                ended = result => match ended {
                    Ok(Ok(result)) => result,
                    Ok(Err(panic)) => resume_unwind(panic),
                    Err(_) => Err(Error::Cancelled),
                },
            }
        })
    }

    /// Begins work on an input, on a thread with a deep stack. If the system has no more threads,
    /// the input is returned.
    pub fn begin<I: Send + 'static>(
        &self,
        input: I,
        work: impl FnOnce(I) + Send + 'static,
    ) -> std::result::Result<Begun, Option<I>> {
        self.deep.begin(input, work)
    }

    /// Returns the handle that tasks are spawned on.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// Runs a future until it ends or nobody waits for it.
fn perform<T, F: Future<Output = Result<T>>>(
    threads: Arc<Threads>,
    start: impl FnOnce() -> F,
    mut done: oneshot::Sender<thread::Result<Result<T>>>,
) {
    let ended = catch_unwind(AssertUnwindSafe(|| {
        threads.block_on(async {
            tokio::select! {
                biased;
                () = done.closed() => Err(Error::Cancelled),
                result = start() => result,
            }
        })
    }));
    // the caller has the last of these afterwards, so that its end waits for the tasks
    drop(threads);
    // a caller that was cancelled is gone
    let _ = done.send(ended);
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
