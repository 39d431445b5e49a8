//! Exhausted memory: the encoder returns an error in the middle of its work, and can be used again.
//!
//! Only Rust's allocations are made to fail; libdeflate's are checked in C.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

use pelton_codec::{BitWriter, BlockEncoder, Error, IsaLevel, compress_bound};

struct Rationed;

thread_local! {
    /// Allocations that this thread is granted before all others of its fail. A limit for all
    /// threads would end the test program, whose main thread allocates at any time.
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

impl Rationed {
    /// `usize::MAX` stands for no limit.
    fn grants(&self) -> bool {
        LEFT.with(|left| match left.get() {
            usize::MAX => true,
            0 => false,
            granted => {
                left.set(granted - 1);
                true
            }
        })
    }
}

// SAFETY: what is granted is passed on to the system's allocator unchanged; null says that there is
// no memory.
unsafe impl GlobalAlloc for Rationed {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps GlobalAlloc's contract, which is the same one.
        if self.grants() { unsafe { System.alloc(layout) } } else { null_mut() }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above; the pointer came from `alloc`.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Rationed = Rationed;

/// Rows, noise and runs: whatever the coder does with data, it does with this.
fn plain() -> Vec<u8> {
    let mut plain = Vec::new();
    for row in 0..4000_u32 {
        plain.extend_from_slice(
            format!("{row}|{}|some words of it|\n", row.wrapping_mul(2_654_435_761)).as_bytes(),
        );
    }
    plain.extend((0..60_000_u32).map(|i| (i.wrapping_mul(i) >> 7) as u8));
    plain.resize(plain.len() + 40_000, 0);
    plain
}

/// Compresses with a limit on allocations.
fn compress(
    coder: &mut BlockEncoder,
    plain: &[u8],
    level: i32,
    room: &mut [u8],
    granted: usize,
) -> Result<usize, Error> {
    let mut to = BitWriter::new(room);
    LEFT.set(granted);
    let done = coder.deflate_after(plain, 20_000, level, true, &mut to);
    LEFT.set(usize::MAX);
    done.map(|()| to.finish().expect("there is room"))
}

// An allocation that can't be refused would end the process.
#[test]
fn the_coder_survives_the_end_of_memory() {
    let plain = plain();
    let bound = compress_bound(pelton_codec::Format::Deflate, plain.len());
    let (mut expected, mut got) = (vec![0; bound], vec![0; bound]);
    for steps in IsaLevel::available() {
        let make = || BlockEncoder::with_isa_level(steps);
        for level in 1..=9 {
            let len = compress(&mut make(), &plain, level, &mut expected, usize::MAX).unwrap();
            let mut coder = make();
            assert!(compress(&mut coder, &plain, level, &mut got, 0).is_err(), "level {level} needs memory");
            // Each try keeps what it got, so an allocation each is enough in the end.
            let again = (0..20).find_map(|_| match compress(&mut coder, &plain, level, &mut got, 1) {
                Ok(len) => Some(len),
                Err(Error::OutOfMemory { .. }) => None,
                Err(error) => panic!("level {level}: {error}"),
            });
            assert!(again.is_some_and(|again| got[..again] == expected[..len]), "level {level}: other bytes");
            assert!(compress(&mut coder, &plain, level, &mut got, 0).is_ok(), "level {level} needs no more");
        }
    }
}
