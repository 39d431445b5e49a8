//! Ctrl-C: the first one stops the running command, the second ends the process at once.
//!
//! The state is static, as there is one keyboard and one process. A command that can stop cleanly
//! opens a [`Job`]; outside of one, the first signal ends the process, as nothing is half done
//! then.

use std::io::{self, IsTerminal};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use pelton::CancelHandle;

use crate::failure::{Failure, note};

/// 128 plus the signal's number, as shells report a process that a signal ended.
const INTERRUPTED: u8 = 128 + 2;

struct State {
    job: Option<CancelHandle>,
    exit_code: u8,
}

static STATE: Mutex<State> = Mutex::new(State { job: None, exit_code: INTERRUPTED });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Something that Ctrl-C stops, until it is dropped.
pub struct Job(CancelHandle);

impl Job {
    /// Begins one; there is one at a time.
    pub fn begin() -> Self {
        let job = Job(CancelHandle::default());
        state().job = Some(job.0.clone());
        job
    }

    /// Returns the handle that Ctrl-C uses.
    pub fn cancel_handle(&self) -> &CancelHandle {
        &self.0
    }

    /// Fails if Ctrl-C was pressed.
    pub fn check(&self) -> Result<(), Failure> {
        if self.0.is_cancelled() { Err(Failure::Cancelled) } else { Ok(()) }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        state().job = None;
    }
}

/// Returns the exit code of a stopped process.
pub fn exit_code() -> u8 {
    state().exit_code
}

/// Starts to wait for signals, on a thread of its own.
pub fn listen() -> Result<(), Failure> {
    let failed = |error| Failure::Error(format!("cannot listen for Ctrl-C: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let mut signals = {
        let _inside = runtime.enter();
        Signals::open().map_err(failed)?
    };
    let wait = move || {
        loop {
            received(runtime.block_on(signals.next()));
        }
    };
    thread::Builder::new().name("pelton-signals".into()).spawn(wait).map_err(failed)?;
    Ok(())
}

fn received(exit_code: u8) {
    let mut state = state();
    state.exit_code = exit_code;
    match &state.job {
        Some(job) if !job.is_cancelled() => job.cancel(),
        _ => {
            pelton::remove_partial_files();
            // A progress bar may be on the line.
            note(if io::stderr().is_terminal() { "\r\u{1b}[Kcancelled" } else { "cancelled" });
            process::exit(exit_code.into());
        }
    }
}

/// The signals that ask a process to end: from the keyboard, from `kill`, and from a terminal that
/// goes away.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn open() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for a signal, and returns its exit code.
    async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => INTERRUPTED,
            _ = self.terminate.recv() => 128 + 15,
            _ = self.hangup.recv() => 128 + 1,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn open() -> io::Result<Self> {
        Ok(Signals)
    }

    async fn next(&mut self) -> u8 {
        // An error means that there is no console to press it on.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        INTERRUPTED
    }
}
