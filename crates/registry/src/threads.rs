//! Threads on which files are read and queries run.

use std::io;
use std::sync::RwLock;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// Threads at most: some times what the largest machines have.
pub const MOST_THREADS: usize = 4096;

/// How long a thread stays that has nothing to block on. tokio's 10 seconds would end the one that
/// [`runtime`] starts, on which reads wait when the system has no more: without one they would wait
/// for ever.
const KEPT_ALIVE: Duration = Duration::from_secs(24 * 60 * 60);

/// An async runtime on `count` threads called `name`, with `stack_bytes` of stack each.
///
/// # Errors
/// The system does not give the threads, and one more for calls that block: by a limit of
/// processes, or for want of memory.
pub fn runtime(count: usize, name: &str, stack_bytes: usize) -> io::Result<Runtime> {
    try_threads(count + 1, stack_bytes)?;
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(count).thread_name(name).thread_stack_size(stack_bytes);
    let runtime = builder.thread_keep_alive(KEPT_ALIVE).enable_all().build()?;
    runtime.spawn_blocking(|| ());
    Ok(runtime)
}

/// Has so many threads at the same time, and lets them go. A runtime that is refused a thread
/// panics when it starts, and leaves the threads that it got waiting for ever; so it is not started
/// where this fails.
fn try_threads(count: usize, stack_bytes: usize) -> io::Result<()> {
    let gate = RwLock::new(());
    thread::scope(|scope| {
        // Let go of before the scope waits for them.
        let _closed = gate.write();
        for _ in 0..count {
            let wait = || drop(gate.read());
            thread::Builder::new().stack_size(stack_bytes).spawn_scoped(scope, wait)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests;
