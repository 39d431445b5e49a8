//! Cost of a process.

use std::mem::MaybeUninit;
use std::process::Command;
use std::time::Instant;

/// Seconds on the clock, and of the processor in the program and in the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// From start to end.
    pub wall: f64,
    /// In the program.
    pub user: f64,
    /// In the kernel.
    pub system: f64,
}

impl Cost {
    /// Returns the processor time in the program and in the kernel.
    pub fn cpu(&self) -> f64 {
        self.user + self.system
    }
}

/// Runs a command to its end and returns its cost; no other child may run meanwhile.
pub fn cost(command: &mut Command) -> Result<Cost, String> {
    let (start, before) = (Instant::now(), children());
    let status = command.status().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let (wall, after) = (start.elapsed().as_secs_f64(), children());
    if !status.success() {
        return Err(format!("{command:?} failed: {status}"));
    }
    Ok(Cost { wall, user: after.0 - before.0, system: after.1 - before.1 })
}

/// Seconds that children used which have been waited for, in programs and in the kernel.
fn children() -> (f64, f64) {
    let mut usage = MaybeUninit::uninit();
    // SAFETY: the pointer is to a structure that the call fills in if it returns 0.
    let usage: libc::rusage = unsafe {
        assert_eq!(libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()), 0, "no usage of children");
        usage.assume_init()
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    (seconds(usage.ru_utime), seconds(usage.ru_stime))
}
