//! Rules for a library inside a foreign program: its signals, its `errno`, and threads that outlive
//! `dlclose`.

mod load;

use std::ptr::null_mut;
use std::sync::atomic::AtomicU8;

/// A variable of this library, for [`stay_loaded`], which needs an address in it. The variable is
/// never written.
static HERE: AtomicU8 = AtomicU8::new(0);

/// Runs `start` with all signals blocked. Threads that it starts inherit that, so the program's
/// handlers run on its own threads only.
pub fn without_signals<T>(start: impl FnOnce() -> T) -> T {
    // SAFETY: two sets of signals that the functions fill.
    unsafe {
        let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        let result = start();
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, null_mut());
        result
    }
}

/// Keeps this library loaded after `dlclose`: threads run in its code.
pub fn stay_loaded() {
    // SAFETY: a structure that `dladdr` fills, for an address in this library; a library that is
    // loaded is not loaded anew.
    unsafe {
        // The path is that by which the library was loaded. `RTLD_NOLOAD` loads nothing, and
        // `RTLD_NODELETE` applies to the library that is there.
        let mut found: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr((&raw const HERE).cast(), &mut found) != 0 {
            libc::dlopen(found.dli_fname, libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE);
        }
    }
}

/// Runs a function that makes system calls, and restores `errno`. Only zlib's functions for files
/// change it.
pub fn keeping_errno<T>(run: impl FnOnce() -> T) -> T {
    // SAFETY: the address is this thread's own, as long as it runs.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        let result = run();
        *errno = before;
        result
    }
}
