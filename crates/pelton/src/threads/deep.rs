//! Threads with deep stacks, which plan statements, compute rows and free plans.
//!
//! A thread that has done its work waits for more. So a statement neither maps a stack nor fills
//! the allocator's caches anew, which takes longer than a small query.

use std::any::Any;
use std::mem::take;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::id;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use parking_lot::Mutex;

/// Stack of a thread, in bytes. A walk that needs more gets pieces, but frees and copies of trees
/// don't.
pub(super) const DEEP: usize = 64 << 20;

/// Maximum number of threads that wait. Each keeps the pages of the stack that it has touched.
const MAX_WAITING: usize = 8;

type Work = Box<dyn FnOnce() + Send>;

/// Threads of an engine. They end with it.
#[derive(Debug, Default)]
pub(super) struct DeepThreads(Arc<Mutex<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    threads: Vec<Thread>,
    /// The process that started the threads. A child of a fork has none of them.
    process: u32,
    /// The engine has ended.
    is_closed: bool,
}

impl Waiting {
    /// Takes the threads that wait in this process.
    fn take(&mut self) -> Vec<Thread> {
        let threads = take(&mut self.threads);
        if self.process == id() { threads } else { Vec::new() }
    }
}

/// A thread's owner, which is with the thread itself while it works.
#[derive(Debug)]
struct Thread {
    send: Sender<(Work, Thread)>,
    join: JoinHandle<()>,
}

/// Work on another thread.
pub(crate) struct Begun(Receiver<thread::Result<()>>);

impl Begun {
    /// Waits for the end of the work.
    ///
    /// # Errors
    /// The work panicked: its payload.
    pub fn join(self) -> Result<(), Box<dyn Any + Send>> {
        // a thread that is gone without a word was ended by the system with its process
        self.0.recv().unwrap_or(Ok(()))
    }
}

impl DeepThreads {
    /// Begins work on an input. If the system has no more threads, the input is returned.
    pub fn begin<I: Send + 'static>(
        &self,
        input: I,
        work: impl FnOnce(I) + Send + 'static,
    ) -> Result<Begun, Option<I>> {
        let (done, ended) = channel();
        let kept = Arc::new(Mutex::new(Some(input)));
        let taken = kept.clone();
        let work: Work = Box::new(move || {
            let input = taken.lock().take();
            let result = catch_unwind(AssertUnwindSafe(|| input.map_or((), work)));
            // a caller that does not wait is gone
            let _ = done.send(result);
        });
        let waiting = {
            let mut waiting = self.0.lock();
            waiting.threads = waiting.take();
            waiting.process = id();
            waiting.threads.pop()
        };
        let thread = match waiting {
            Some(thread) => thread,
            None => self.start().ok_or_else(|| kept.lock().take())?,
        };
        let send = thread.send.clone();
        send.send((work, thread)).map_err(|_| kept.lock().take())?;
        Ok(Begun(ended))
    }

    /// Starts a thread, which waits for work. `None`: the system has no more.
    fn start(&self) -> Option<Thread> {
        let (send, receive) = channel::<(Work, Thread)>();
        let waiting = self.0.clone();
        let serve = move || {
            while let Ok((work, thread)) = receive.recv() {
                work();
                let mut waiting = waiting.lock();
                if waiting.is_closed || waiting.threads.len() >= MAX_WAITING {
                    return;
                }
                waiting.threads.push(thread);
            }
        };
        let started = thread::Builder::new().name("pelton-deep".to_owned()).stack_size(DEEP).spawn(serve);
        Some(Thread { send, join: started.ok()? })
    }
}

impl Drop for DeepThreads {
    fn drop(&mut self) {
        let threads = {
            let mut waiting = self.0.lock();
            waiting.is_closed = true;
            waiting.take()
        };
        for Thread { send, join } in threads {
            drop(send);
            // no work is left in which it could panic
            let _ = join.join();
        }
    }
}

#[cfg(test)]
mod tests;
