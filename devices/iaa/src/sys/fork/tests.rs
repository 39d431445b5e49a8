//! Forked children, which can't use their parent's queue.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd};

use super::ForkMark;
use crate::sys::Page;
use crate::sys::stand_in::{alone, bytes, memory, numbered, pipe, written_to};
use crate::{Portal, SubmitError};

/// Runs a function in a forked child, and returns its exit status.
///
/// The child of a process with threads may not allocate or lock, so the function only loads, stores
/// and closes.
fn in_child(run: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child only makes permitted calls, and exits without unwinding into the parent's
    // frames.
    unsafe {
        let child = libc::fork();
        assert!(child >= 0, "fork: {}", io::Error::last_os_error());
        if child == 0 {
            libc::_exit(run());
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        assert!(libc::WIFEXITED(status), "the child ended by signal {}", libc::WTERMSIG(status));
        libc::WEXITSTATUS(status)
    }
}

/// Returns whether the tests run in qemu-user, which accepts advice about forks and ignores it.
fn is_emulated() -> bool {
    let emulated = std::env::var_os("PELTON_TEST_RUNNER").is_some();
    if emulated {
        // Not by a macro, since the output of a test that passes is not shown.
        let _ = writeln!(io::stderr(), "a test of forks does not run: qemu ignores MADV_WIPEONFORK");
    }
    emulated
}

#[test]
fn the_mark_is_gone_in_a_child() {
    if is_emulated() {
        return;
    }
    let _alone = alone();
    let mark = ForkMark::new().expect("a mark");
    assert!(mark.is_original());
    assert_eq!(in_child(|| i32::from(mark.is_original())), 0);
    assert!(mark.is_original());
}

#[test]
fn a_child_submits_nothing_and_the_parent_goes_on() {
    let _alone = alone();
    let (mut reader, writer) = pipe();
    let portal = written_to(writer);
    let descriptors = numbered(2);
    let submit = |count| {
        // SAFETY: a stand-in does not touch the memory that a descriptor names.
        unsafe { portal.submit(&descriptors[..count]) }
    };
    let code = in_child(|| match submit(1) {
        Err(SubmitError::Closed) => 7,
        Err(SubmitError::System(_)) => 8,
        Ok(_) => 9,
    });
    assert_eq!(code, 7);
    assert_eq!(submit(2).ok(), Some(2));
    let mut taken = [0; 3 * 64];
    reader.read_exact(&mut taken).expect("the probe and two descriptors");
    assert_eq!(taken[64..], bytes(&descriptors));
    assert!(reader.read(&mut taken).is_err(), "nothing of the child");
}

#[test]
fn a_child_that_drops_a_portal_unmaps_nothing() {
    if is_emulated() {
        return;
    }
    let _alone = alone();
    let page = Page::map(memory().as_fd()).expect("a mapping");
    // Like the driver's mapping. SAFETY: the page's own mapping.
    assert_eq!(unsafe { libc::madvise(page.base(), 4096, libc::MADV_DONTFORK) }, 0);
    let code = in_child(move || {
        let base = page.base();
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: a new mapping, at an address where the child has none.
        let other = unsafe { libc::mmap(base, 4096, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if other != base {
            return 1;
        }
        drop(page);
        // SAFETY: only tests whether the child's mapping is still there.
        if unsafe { libc::madvise(base, 4096, libc::MADV_WILLNEED) } == 0 { 0 } else { 2 }
    });
    assert_eq!(code, 0, "1: the portal was copied; 2: what was mapped in its place has gone");
}

#[test]
fn a_child_keeps_no_copy_of_the_file() {
    let _alone = alone();
    // The kernel drains the queue only if the parent's close is the last.
    let (mut reader, writer) = pipe();
    let file = crate::sys::file::File::new(writer).expect("a place for it");
    // The child reports that it runs, then waits until the second pipe ends, after the parent's
    // close.
    let (mut runs, says) = pipe();
    let (end, hold) = pipe();
    // SAFETY: the child only makes permitted calls, and does not unwind into the parent's frames.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: as above; one byte of ours.
        unsafe {
            let mut byte = 0_u8;
            libc::close(hold.as_raw_fd());
            libc::write(says.as_raw_fd(), (&raw const byte).cast(), 1);
            let flags = libc::fcntl(end.as_raw_fd(), libc::F_GETFL);
            libc::fcntl(end.as_raw_fd(), libc::F_SETFL, flags & !libc::O_NONBLOCK);
            libc::read(end.as_raw_fd(), (&raw mut byte).cast(), 1);
            libc::_exit(0);
        }
    }
    while runs.read(&mut [0]).is_err() {
        std::thread::yield_now();
    }
    drop(file);
    let mut rest = Vec::new();
    let last = reader.read_to_end(&mut rest);
    drop(hold);
    // SAFETY: the child made above.
    unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
    last.expect("the end of the pipe: the child has no copy");
}
