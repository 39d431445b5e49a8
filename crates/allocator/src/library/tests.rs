use super::*;

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 64).unwrap()
}

#[test]
fn sizes_hold_their_blocks_and_waste_less_than_a_step() {
    let mut last = 0;
    for bytes in (SMALLEST..=LARGEST).step_by(4_099).chain([LARGEST]) {
        let size = Size::of(layout(bytes)).unwrap();
        assert!(size.bytes >= bytes && size.bytes - bytes < size.bytes / STEPS, "{bytes}: {size:?}");
        assert!(size.index >= last && size.index < SIZES, "{bytes}: {size:?}");
        assert_eq!(Size::of(layout(size.bytes)), Some(size), "a size holds its own blocks");
        last = size.index;
    }
    assert_eq!(last, SIZES - 1);
    assert_eq!(Size::of(layout(SMALLEST - 1)), None);
    assert_eq!(Size::of(layout(LARGEST + 1)), None);
    assert_eq!(Size::of(Layout::from_size_align(SMALLEST, 4096).unwrap()), None);
}

#[test]
fn blocks_keep_their_bytes_through_changes_of_size() {
    let allocator = LibraryAllocator;
    // below, at and above the bounds of cached blocks
    let sizes = [100, SMALLEST - 1, SMALLEST, SMALLEST + 1, 200_000, 210_000, LARGEST, LARGEST + 1];
    for from in sizes {
        for to in sizes {
            // SAFETY: every block is used within its size and freed once, in its layout.
            unsafe {
                let block = allocator.alloc_zeroed(layout(from));
                assert!(block.addr().is_multiple_of(64) && *block.add(from - 1) == 0);
                block.write_bytes(7, from);
                let moved = allocator.realloc(block, layout(from), to);
                let kept = std::slice::from_raw_parts(moved, from.min(to));
                assert!(kept.iter().all(|byte| *byte == 7), "{from} to {to}");
                moved.write_bytes(9, to);
                allocator.dealloc(moved, layout(to));
                let zeroed = allocator.alloc_zeroed(layout(to));
                let bytes = std::slice::from_raw_parts(zeroed, to);
                assert!(bytes.iter().all(|byte| *byte == 0), "{to} bytes are not zeroed");
                allocator.dealloc(zeroed, layout(to));
            }
        }
    }
}

#[test]
fn threads_never_share_a_block() {
    let work = |number: u8| {
        let mut held = std::collections::VecDeque::new();
        for turn in 0..2_000usize {
            let bytes = SMALLEST + (turn * 7_919 + usize::from(number) * 104_729) % 400_000;
            // SAFETY: every block is used within its size and freed once, in its layout.
            unsafe {
                let block = LibraryAllocator.alloc(layout(bytes));
                block.write_bytes(number, bytes);
                held.push_back((block.addr(), block, bytes));
                if held.len() > 8
                    && let Some((_, block, bytes)) = held.pop_front()
                {
                    let bytes_of = std::slice::from_raw_parts(block, bytes);
                    assert!(bytes_of.iter().all(|byte| *byte == number), "another thread wrote");
                    LibraryAllocator.dealloc(block, layout(bytes));
                }
            }
        }
        for (_, block, bytes) in held {
            // SAFETY: as above.
            unsafe { LibraryAllocator.dealloc(block, layout(bytes)) };
        }
    };
    std::thread::scope(|scope| (1..=4).for_each(|number| drop(scope.spawn(move || work(number)))));
    assert!(CACHED.load(Relaxed) <= CACHED_BYTES, "{} bytes are cached", CACHED.load(Relaxed));
}
