use std::arch::asm;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::*;

/// A request block whose first field is big-endian, as all of NX's are.
#[repr(align(128))]
struct Request(Block);

impl Request {
    fn new(number: u64) -> Request {
        let mut block = [0x5A; 128];
        block[..8].copy_from_slice(&number.to_be_bytes());
        Request(block)
    }
}

/// Address of a window: nothing is mapped there, as only its number counts.
const WINDOW: usize = 0x40_0400;

/// copy, in the assembly of a driver.
fn copy(request: *const u8) {
    // SAFETY: the caller's pointer is to a request.
    unsafe { asm!("sync", ".long 0x7c20260c", in("r4") request, options(nostack)) };
}

/// paste., in the assembly of a driver. Returns field 0 of the condition register.
fn paste(window: usize) -> u8 {
    let condition: u64;
    // SAFETY: the emulation only passes the address on.
    unsafe {
        asm!(
            ".long 0x7c202f0d",
            "mfocrf {condition}, 0x80",
            "sync",
            condition = lateout(reg) condition,
            in("r5") window,
            out("cr0") _,
            options(nostack),
        );
    }
    (condition >> FIELD_0_SHIFT) as u8 & 0xf
}

fn number(block: &Block) -> u64 {
    assert_eq!(block[8..], [0x5A; 120]);
    u64::from_be_bytes(*block.first_chunk().unwrap())
}

#[test]
fn blocks_arrive_and_the_condition_says_whether() {
    static SUM: AtomicU64 = AtomicU64::new(0);
    let emulated = emulate_copy_paste(|block, window| {
        assert_eq!(window, WINDOW);
        SUM.fetch_add(number(block), Ordering::Relaxed);
        number(block).is_multiple_of(2)
    });
    for number in 0x0102_0304_0506_0700..0x0102_0304_0506_0710 {
        copy(Request::new(number).0.as_ptr());
        assert_eq!(paste(WINDOW) & ACCEPTED, if number % 2 == 0 { ACCEPTED } else { 0 });
    }
    assert_eq!(emulated.count(), 16, "no call: this processor has the instruction");
    assert_eq!(SUM.load(Ordering::Relaxed), 16 * 0x0102_0304_0506_0700 + 120);
}

#[test]
fn a_copy_is_pasted_once_and_by_its_own_thread() {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let emulated = emulate_copy_paste(|_, _| {
        CALLS.fetch_add(1, Ordering::Relaxed);
        true
    });
    copy(Request::new(1).0.as_ptr());
    thread::spawn(|| assert_eq!(paste(WINDOW) & ACCEPTED, 0)).join().unwrap();
    assert_eq!(paste(WINDOW) & ACCEPTED, ACCEPTED);
    assert_eq!(paste(WINDOW) & ACCEPTED, 0);
    assert_eq!((CALLS.load(Ordering::Relaxed), emulated.count()), (1, 3));
}

/// A misaligned request ends the process, here a child.
#[test]
fn faults_end_the_process() {
    let emulated = emulate_copy_paste(|_, _| true);
    let request = Request::new(1);
    // SAFETY: the child calls nothing but the instruction, and the handler of it, which ends the
    // child.
    let child = unsafe { libc::fork() };
    if child == 0 {
        copy(request.0.as_ptr().wrapping_add(16));
        // SAFETY: the child ends here, without the destructors of the parent.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    // SAFETY: the child is the one from above.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert!(libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGABRT, "{status:#x}");
    assert_eq!(emulated.count(), 0);
}
