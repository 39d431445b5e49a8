//! Async runtime of the threads that read files and run queries.

use std::io;
use std::sync::RwLock;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// Time until an idle blocking thread ends. tokio's default would end the one that [`runtime`]
/// starts. Reads use that thread if the system refuses more; without it they would wait for ever.
const KEPT_ALIVE: Duration = Duration::from_secs(24 * 60 * 60);

/// Starts an async runtime on `count` threads called `name`, with `stack_bytes` of stack each.
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

/// Starts `count` threads at the same time, and ends them. tokio panics if the system refuses a
/// thread to a starting runtime, and its other threads then wait for ever. So the threads are tried
/// first.
fn try_threads(count: usize, stack_bytes: usize) -> io::Result<()> {
    let gate = RwLock::new(());
    thread::scope(|scope| {
        // Dropped before the scope waits for the threads.
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
