//! Allocations of decoders, which must not depend on the sizes that an input claims.
//!
//! Only Rust's allocations are counted. libdeflate and Zstandard allocate in C: the first only its
//! fixed state, the second only its context, as blocks are decoded in place.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use pelton_codec::{Decoder, Format};

struct Counting;

thread_local! {
    /// Bytes that this thread allocated and did not give back. Signed, since it frees blocks of
    /// other threads too. The test program's main thread, which allocates at any time, has its own.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.set(HELD.get() + layout.size() as isize);
        PEAK.set(PEAK.get().max(HELD.get()));
        // SAFETY: the caller keeps GlobalAlloc's contract, which is the same one.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        HELD.set(HELD.get() - layout.size() as isize);
        // SAFETY: as above; the pointer came from `alloc`.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most that is held at once while `input` is decoded into `room` bytes, and whether it was an
/// error.
fn peak(format: Format, input: &[u8], room: usize) -> (isize, bool) {
    let mut output = vec![0; room];
    let mut decoder = Decoder::new();
    let before = HELD.get();
    PEAK.set(before);
    let failed = decoder.decompress(format, input, &mut output).is_err();
    (PEAK.get() - before, failed)
}

#[test]
fn lying_sizes_allocate_nothing() {
    let four_gigabytes: [(Format, &[u8]); 4] = [
        // A varint of the maximum, then a literal.
        (Format::Snappy, &[0xff, 0xff, 0xff, 0xff, 0x0f, 0x00, b'a']),
        (Format::Lz4Hadoop, &[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 2, 0x10, b'a']),
        (Format::Lz4Hadoop, &[0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x10, b'a']),
        // A match with a length of many bytes.
        (Format::Lz4, &[0x1f, b'a', 1, 0, 255, 255, 255, 255, 255, 255, 0]),
    ];
    for (format, input) in four_gigabytes {
        let (peak, failed) = peak(format, input, 100);
        assert!(failed && peak == 0, "{format}: {peak} bytes");
    }

    // Brotli: the maximum WBITS, then a meta-block of the maximum length, which is the window.
    let (held, failed) = peak(Format::Brotli, &[0x0f, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0], 100);
    assert!(failed && held < 18 << 20, "brotli: {held} bytes");
    // The large-window extension would ask for 1 GiB.
    let (held, failed) = peak(Format::Brotli, &[0x11, 30, 0xff, 0xff, 0x7f, 0, 0, 0, 0], 100);
    assert!(failed && held < 18 << 20, "brotli with a large window: {held} bytes");
}
