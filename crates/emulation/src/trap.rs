//! Handler of SIGILL that carries out an instruction in software and resumes behind it.

use std::ffi::{c_int, c_void};
use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::{io, mem, panic, ptr};

use crate::Fault;

/// Carries out the instruction at which a thread stopped, and moves the thread's context behind it.
/// Returns whether it was one that is counted.
pub(crate) type Step = dyn Fn(&mut libc::ucontext_t) -> Result<bool, Fault> + Send + Sync;

struct Current {
    step: Box<Step>,
    count: AtomicU64,
}

static CURRENT: RwLock<Option<Arc<Current>>> = RwLock::new(None);
/// Held by the value of [`Emulated`], as a process has one handler.
static TURN: Mutex<()> = Mutex::new(());

/// Emulation of an instruction in all threads of this process, until it is dropped. There is one at
/// a time: making another waits until this one is dropped.
pub struct Emulated {
    current: Arc<Current>,
    previous: libc::sigaction,
    _turn: MutexGuard<'static, ()>,
}

impl Emulated {
    pub(crate) fn new(step: Box<Step>) -> Emulated {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let current = Arc::new(Current { step, count: AtomicU64::new(0) });
        *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = Some(current.clone());
        // SAFETY: all bytes of a sigaction may be zero, for no flags, an empty mask, and the
        // default action.
        let (mut action, mut previous): (libc::sigaction, libc::sigaction) = unsafe { mem::zeroed() };
        action.sa_sigaction = on_sigill as *const () as usize;
        // Without an alternate stack, which would be too small for a model.
        action.sa_flags = libc::SA_SIGINFO;
        // SAFETY: both structures are valid, and the handler has the form that SA_SIGINFO asks for.
        let result = unsafe { libc::sigaction(libc::SIGILL, &action, &mut previous) };
        assert_eq!(result, 0, "SIGILL can be handled");
        Emulated { current, previous, _turn: turn }
    }

    /// Returns the number of instructions that were carried out: DFLTCC, or paste., without copy.
    pub fn count(&self) -> u64 {
        self.current.count.load(Ordering::Relaxed)
    }
}

impl Drop for Emulated {
    fn drop(&mut self) {
        // SAFETY: the structure is what the system returned.
        unsafe { libc::sigaction(libc::SIGILL, &self.previous, ptr::null_mut()) };
        *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Runs on the thread that met the instruction. SIGILL comes from that instruction alone, not at an
/// arbitrary time, so the functions that are called may allocate and take locks.
extern "C" fn on_sigill(_signal: c_int, _info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: with SA_SIGINFO the third argument is the context of the thread, which is of this
    // call alone.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    let message = match panic::catch_unwind(AssertUnwindSafe(|| step(context))) {
        Ok(Ok(())) => return,
        Ok(Err(fault)) => fault.to_string(),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("without a text");
            format!("the function of the test panicked: {text}: run the test with --nocapture for the place")
        }
    };
    // Not by a macro: a test program keeps its output until the test ends, which it never does.
    let _ = writeln!(io::stderr(), "emulation: {message}");
    std::process::abort();
}

fn step(context: &mut libc::ucontext_t) -> Result<(), Fault> {
    let current = CURRENT.read().unwrap_or_else(PoisonError::into_inner).clone();
    // None: it was dropped after this thread met the instruction.
    let current = current.ok_or(Fault::Result("is gone while threads still run"))?;
    let counted = (current.step)(context)?;
    current.count.fetch_add(u64::from(counted), Ordering::Relaxed);
    Ok(())
}
