//! The clock and the core of the measuring thread.

use std::mem::MaybeUninit;

/// Returns seconds of CPU time that this thread has used.
pub fn thread_seconds() -> f64 {
    let mut time = MaybeUninit::uninit();
    // SAFETY: the pointer is to a timespec, which the call fills in if it returns 0.
    let time = unsafe {
        assert_eq!(libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, time.as_mut_ptr()), 0, "no CPU clock");
        time.assume_init()
    };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Keeps this thread on one core, the last one that it may use; returns the core, or why that
/// failed.
#[cfg(target_os = "linux")]
pub fn pin() -> Result<usize, String> {
    let bytes = size_of::<libc::cpu_set_t>();
    // SAFETY: a cpu_set_t is an array of bits, and zeros are valid bits.
    let mut cores: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is `bytes` long, and 0 is this thread.
    if unsafe { libc::sched_getaffinity(0, bytes, &mut cores) } != 0 {
        return Err(std::io::Error::last_os_error().to_string());
    }
    // SAFETY: every number is below the number of bits of a cpu_set_t.
    let may_use = |&core: &usize| unsafe { libc::CPU_ISSET(core, &cores) };
    let core = (0..bytes * 8).rev().find(may_use).ok_or("this thread may use no core")?;
    // SAFETY: as above, for both calls.
    let pinned = unsafe {
        let mut one: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core, &mut one);
        libc::sched_setaffinity(0, bytes, &one)
    };
    if pinned == 0 { Ok(core) } else { Err(std::io::Error::last_os_error().to_string()) }
}

/// Linux can keep a thread on a core.
#[cfg(not(target_os = "linux"))]
pub fn pin() -> Result<usize, String> {
    Err("pinning is for Linux only".into())
}
