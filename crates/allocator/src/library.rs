//! The allocator of a library in another program: the system's, with a cache of large blocks.
//!
//! glibc gives the memory of large blocks back to the system when they are freed, and the next
//! scan range gets it again zeroed, page by page. mimalloc would keep it, but ties its state to the
//! thread that loads the library, and a host may end that thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Bytes of the smallest block that is cached; the system keeps the memory of smaller ones.
const SMALLEST: usize = 64 << 10;

/// Bytes of the largest block that is cached.
const LARGEST: usize = 32 << 20;

/// Alignment of cached blocks; Arrow asks for less.
const ALIGNMENT: usize = 128;

/// Steps between two powers of two, of which a block wastes less than one.
const STEPS: usize = 8;

/// Number of block sizes: steps of each doubling from the smallest to the largest, and that one.
const SIZES: usize = (LARGEST / SMALLEST).ilog2() as usize * STEPS + 1;

/// Bytes of all cached blocks; blocks beyond it go back to the system.
const CACHED_BYTES: usize = 48 << 20;

static BLOCKS: [Mutex<FreeBlocks>; SIZES] = [const { Mutex::new(FreeBlocks(null_mut())) }; SIZES];
static CACHED: AtomicUsize = AtomicUsize::new(0);

/// Allocator that a library names as its `#[global_allocator]`.
pub struct LibraryAllocator;

/// Free blocks of one size, each with the address of the next one in it.
struct FreeBlocks(*mut FreeBlock);

struct FreeBlock {
    next: *mut FreeBlock,
}

// SAFETY: the blocks belong to the list alone, whichever thread freed them.
unsafe impl Send for FreeBlocks {}

/// A size of cached blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    index: usize,
    bytes: usize,
}

impl Size {
    /// Returns the least size for a block; `None` if it is not cached.
    fn of(block: Layout) -> Option<Size> {
        let bytes = block.size();
        if !(SMALLEST..=LARGEST).contains(&bytes) || block.align() > ALIGNMENT {
            return None;
        }
        let doublings = (bytes / SMALLEST).ilog2();
        let (base, step) = (SMALLEST << doublings, (SMALLEST << doublings) / STEPS);
        let steps = (bytes - base).div_ceil(step);
        Some(Size { index: doublings as usize * STEPS + steps, bytes: base + steps * step })
    }

    /// Returns the layout in which the system allocates blocks of the size.
    fn layout(self) -> Layout {
        // Sizes are far below the greatest, and the alignment is a power of two.
        Layout::from_size_align(self.bytes, ALIGNMENT).unwrap_or(Layout::new::<FreeBlock>())
    }

    /// Returns the free blocks, unless another thread has them: in a process that forked while it
    /// did, it never gives them back.
    fn blocks(self) -> Option<MutexGuard<'static, FreeBlocks>> {
        match BLOCKS[self.index].try_lock() {
            Ok(blocks) => Some(blocks),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Takes a cached block.
    fn take(self) -> Option<*mut u8> {
        let mut blocks = self.blocks()?;
        let block = blocks.0;
        if block.is_null() {
            return None;
        }
        // SAFETY: the list's blocks are free, and have the address of the next one.
        blocks.0 = unsafe { (*block).next };
        CACHED.fetch_sub(self.bytes, Relaxed);
        Some(block.cast())
    }

    /// Caches a free block. Returns false if there are enough, or another thread has the list.
    ///
    /// # Safety
    /// The block has this size and alignment, is free, and is not used any more.
    unsafe fn give(self, pointer: *mut u8) -> bool {
        let Some(mut blocks) = self.blocks() else { return false };
        if CACHED.fetch_add(self.bytes, Relaxed) + self.bytes > CACHED_BYTES {
            CACHED.fetch_sub(self.bytes, Relaxed);
            return false;
        }
        let block = pointer.cast::<FreeBlock>();
        // SAFETY: the block is larger than the structure, aligned, and the caller gave it up.
        unsafe { block.write(FreeBlock { next: blocks.0 }) };
        blocks.0 = block;
        true
    }
}

// SAFETY: a block is the system's, in at least the size and alignment that was asked for; size and
// alignment decide whether it is cached, so that each call treats it the same way; a cached block
// is in one list, and leaves it before it is given out.
unsafe impl GlobalAlloc for LibraryAllocator {
    unsafe fn alloc(&self, block: Layout) -> *mut u8 {
        match Size::of(block) {
            // SAFETY: the layout has a size above zero.
            Some(size) => size.take().unwrap_or_else(|| unsafe { System.alloc(size.layout()) }),
            // SAFETY: the caller's promise.
            None => unsafe { System.alloc(block) },
        }
    }

    unsafe fn alloc_zeroed(&self, block: Layout) -> *mut u8 {
        let Some(size) = Size::of(block) else {
            // SAFETY: the caller's promise.
            return unsafe { System.alloc_zeroed(block) };
        };
        match size.take() {
            Some(pointer) => {
                // SAFETY: the block has at least this size.
                unsafe { pointer.write_bytes(0, block.size()) };
                pointer
            }
            // SAFETY: the layout has a size above zero.
            None => unsafe { System.alloc_zeroed(size.layout()) },
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, block: Layout) {
        let layout = match Size::of(block) {
            // SAFETY: the caller gives up the block, which has the size of its layout.
            Some(size) if unsafe { size.give(pointer) } => return,
            Some(size) => size.layout(),
            None => block,
        };
        // SAFETY: the system allocated the block in this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, block: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size is no overflow with this alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(bytes, block.align()) };
        match (Size::of(block), Size::of(wanted)) {
            // SAFETY: the caller's promise.
            (None, None) => unsafe { System.realloc(pointer, block, bytes) },
            (old, new) if old == new => pointer,
            _ => {
                // SAFETY: the caller's promise; both blocks have at least the copied bytes, and
                // they are different ones.
                unsafe {
                    let to = self.alloc(wanted);
                    if !to.is_null() {
                        to.copy_from_nonoverlapping(pointer, block.size().min(bytes));
                        self.dealloc(pointer, block);
                    }
                    to
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
