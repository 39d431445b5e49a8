use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::Ordering::Relaxed;

use super::{BOUND, READING_BYTES, count, resident};
use crate::{Allocator, keep_freed_memory};

const BLOCKS: usize = 128;
const BLOCK_BYTES: usize = 1 << 20;

/// Freed memory stays with the program below the bound, and goes back beyond it.
#[test]
#[cfg(target_os = "linux")]
fn memory_goes_back_beyond_the_bound() {
    keep_freed_memory();
    let layout = Layout::from_size_align(BLOCK_BYTES, 64).expect("a layout");
    let mut blocks = [std::ptr::null_mut(); BLOCKS];
    for block in &mut blocks {
        // SAFETY: the size is not zero, and the bytes written are the block's.
        unsafe {
            *block = Allocator.alloc(layout);
            assert!(!block.is_null());
            block.write_bytes(1, BLOCK_BYTES);
        }
    }
    let full = resident().expect("resident memory");
    assert!(full >= BLOCKS * BLOCK_BYTES);
    assert!(BOUND.load(Relaxed) > full / 4 * 3, "the bound follows the memory in use");
    for block in blocks {
        // SAFETY: the block was allocated with the layout, and is freed once.
        unsafe { Allocator.dealloc(block, layout) };
    }
    let half = full - BLOCKS * BLOCK_BYTES / 2;
    count(READING_BYTES);
    assert!(resident().expect("resident memory") > half, "freed memory is kept");
    BOUND.store(half, Relaxed);
    count(READING_BYTES);
    assert!(resident().expect("resident memory") < half, "freed memory goes back");
    assert!(BOUND.load(Relaxed) >= half, "the bound does not fall");
}
