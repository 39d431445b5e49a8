use std::arch::asm;
use std::thread;

use super::*;
use crate::dfltcc::{CMPR, XPND};

#[repr(align(8))]
struct Block([u64; 2]);

/// One DFLTCC in the assembly of a driver. Returns the condition code.
fn dfltcc(function: u8, block: *mut u8, target: &mut (*mut u8, u64), source: &mut (*const u8, u64)) -> u8 {
    let condition: u64;
    // SAFETY: the functions below stay within the operands.
    unsafe {
        asm!(
            ".insn rrf,0xb9390000,%r2,%r4,%r6,0",
            "ipm {condition}",
            "srlg {condition},{condition},28",
            condition = lateout(reg) condition,
            in("r0") u64::from(function),
            in("r1") block,
            inout("r2") target.0,
            inout("r3") target.1,
            inout("r4") source.0,
            inout("r5") source.1,
            in("r6") 0_u64,
        );
    }
    (condition & 3) as u8
}

/// Copies at most three bytes, and adds their number to a field of the parameter block in the byte
/// order that manuals show.
fn copy_some(operands: &mut Dfltcc) -> u8 {
    assert_eq!((operands.function, operands.has_circular_history), (CMPR, false));
    let len = operands.source_len.min(operands.target_len).min(3);
    // SAFETY: the test's buffers have these lengths, and the block 16 bytes.
    unsafe {
        operands.source.copy_to_nonoverlapping(operands.target, len);
        operands.target = operands.target.add(len);
        operands.source = operands.source.add(len);
        let count = operands.parameter_block.add(8).cast::<[u8; 8]>();
        count.write((u64::from_be_bytes(count.read()) + len as u64).to_be_bytes());
    }
    operands.target_len -= len;
    operands.source_len -= len;
    match (operands.source_len, operands.target_len) {
        (0, _) => 0,
        (_, 0) => 1,
        _ => 3,
    }
}

/// Copies with one call after another, as a driver does while the condition code is 3. Returns the
/// last code, the copied bytes, and the number of calls.
fn copy(bytes: &[u8], capacity: usize) -> (u8, Vec<u8>, u64) {
    let (mut block, mut copied) = (Block([7, 0]), vec![0xAA; capacity + 1]);
    let (mut target, mut source) =
        ((copied.as_mut_ptr(), capacity as u64), (bytes.as_ptr(), bytes.len() as u64));
    let mut calls = 0;
    let condition = loop {
        calls += 1;
        match dfltcc(CMPR, (&raw mut block).cast(), &mut target, &mut source) {
            3 => {}
            other => break other,
        }
    };
    let done = capacity - target.1 as usize;
    // This processor reads the field as the function wrote it.
    assert_eq!(block.0, [7, done as u64]);
    assert_eq!((bytes.len() as u64 - source.1, copied[capacity]), (done as u64, 0xAA));
    copied.truncate(done);
    (condition, copied, calls)
}

#[test]
fn the_function_is_called_and_the_program_goes_on() {
    let emulated = emulate_dfltcc(copy_some);
    let bytes: Vec<u8> = (0..100).collect();
    assert_eq!(copy(&bytes, 200), (0, bytes.clone(), 34));
    assert_eq!(copy(&bytes, 50), (1, bytes[..50].to_vec(), 17));
    assert_eq!(emulated.count(), 34 + 17, "no call: this processor has the instruction");
}

#[test]
fn all_threads_are_served() {
    let emulated = emulate_dfltcc(copy_some);
    thread::scope(|scope| {
        for start in 0..4 {
            scope.spawn(move || {
                let bytes: Vec<u8> = (start..start + 90).collect();
                assert_eq!(copy(&bytes, 90), (0, bytes, 30));
            });
        }
    });
    assert_eq!(emulated.count(), 4 * 30);
}

#[test]
fn the_next_emulation_has_its_own_function() {
    for condition in 0..4 {
        let emulated = emulate_dfltcc(move |operands| {
            assert_eq!(operands.function, XPND);
            condition
        });
        let (mut block, bytes) = (Block([0; 2]), [0; 8]);
        let (mut target, mut source) = ((block.0.as_mut_ptr().cast(), 0), (bytes.as_ptr(), 8));
        assert_eq!(dfltcc(XPND, (&raw mut block).cast(), &mut target, &mut source), condition);
        assert_eq!((target.1, source.1, emulated.count()), (0, 8, 1));
    }
}

/// A misaligned parameter block ends the process, here a child.
#[test]
fn faults_end_the_process() {
    let emulated = emulate_dfltcc(|_| 0);
    let (mut block, bytes) = (Block([0; 2]), [0; 8]);
    // SAFETY: the child calls nothing but the instruction, and the handler of it, which ends the
    // child.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let (mut target, mut source) = ((block.0.as_mut_ptr().cast(), 0), (bytes.as_ptr(), 8));
        dfltcc(CMPR, (&raw mut block).cast::<u8>().wrapping_add(1), &mut target, &mut source);
        // SAFETY: the child ends here, without the destructors of the parent.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    // SAFETY: the child is the one from above.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert!(libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGABRT, "{status:#x}");
    assert_eq!(emulated.count(), 0);
}
