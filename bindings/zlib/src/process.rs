//! Threads of ours in a program that knows nothing of them.

use std::ptr::null_mut;
use std::sync::atomic::AtomicU8;

/// Something that has an address in this library.
static HERE: AtomicU8 = AtomicU8::new(0);

/// Runs `start` with all signals blocked, which threads that it starts inherit: a program's
/// handlers run on its own threads.
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

/// Keeps this library loaded, whoever closes it: threads are going to run in it.
pub fn stay_loaded() {
    // SAFETY: a structure that `dladdr` fills, for an address in this library; a library that is
    // loaded is not loaded anew.
    unsafe {
        let mut found: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr((&raw const HERE).cast(), &mut found) != 0 {
            libc::dlopen(found.dli_fname, libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE);
        }
    }
}

/// Runs what calls the system, and leaves `errno` as it was: no function of zlib's that is not
/// about files changes it.
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
