use std::alloc::{GlobalAlloc, Layout};

use super::{Allocator, OWN_BYTES, SHARED_BYTES, allocated, return_freed_memory};

/// Blocks of all sizes keep their bytes while they grow and shrink and the mode changes.
#[test]
fn blocks_keep_their_bytes() {
    let sizes = [1, SHARED_BYTES, SHARED_BYTES + 1, OWN_BYTES - 1, OWN_BYTES, 3 * OWN_BYTES];
    for returns in [false, true] {
        return_freed_memory(returns);
        assert_eq!(allocated(SHARED_BYTES), SHARED_BYTES);
        assert_eq!(allocated(SHARED_BYTES + 1), if returns { OWN_BYTES } else { SHARED_BYTES + 1 });
        for from in sizes {
            for to in sizes {
                let layout = Layout::from_size_align(from, 64).expect("a layout");
                // SAFETY: the sizes are not zero, bytes are read and written inside of the block,
                // and the block is freed with the size that it last got.
                unsafe {
                    let block = Allocator.alloc_zeroed(layout);
                    assert!(!block.is_null() && block.addr().is_multiple_of(64));
                    assert_eq!((*block, *block.add(from - 1)), (0, 0));
                    (*block, *block.add(from - 1)) = (7, 7);
                    return_freed_memory(!returns);
                    let block = Allocator.realloc(block, layout, to);
                    assert!(!block.is_null() && block.addr().is_multiple_of(64));
                    assert_eq!(*block, 7);
                    if to >= from {
                        assert_eq!(*block.add(from - 1), 7);
                    }
                    *block.add(to - 1) = 9;
                    Allocator.dealloc(block, Layout::from_size_align(to, 64).expect("a layout"));
                    return_freed_memory(returns);
                }
            }
        }
    }
    return_freed_memory(false);
}
