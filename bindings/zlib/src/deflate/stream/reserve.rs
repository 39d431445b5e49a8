//! Reserve: the memory of a compressing stream in one piece of the caller's `zalloc`.
//!
//! zlib's `deflateInit` takes all memory of a stream, and a caller with an allocator of its own may
//! give none later. The first `deflate` decides who compresses, so the piece is as large as the
//! larger need, that of the block encoder or that of zlib-rs. Both take their memory from it
//! through functions of the same types as the caller's.

use std::ffi::{c_uint, c_void};
use std::ptr::NonNull;

use libz_rs_sys::{alloc_func, free_func, z_stream};

use crate::memory::ALLOCATION_UNIT;

/// Alignment of what is taken, in bytes; the caller's memory has it.
const ALIGNMENT: usize = align_of::<Head>();

/// The beginning of the piece; the memory follows it.
#[repr(C)]
struct Head {
    /// The caller's functions.
    zalloc: alloc_func,
    zfree: free_func,
    opaque: *mut c_void,
    /// Bytes of memory.
    capacity: usize,
    /// Bytes up to the end of the last part that was taken.
    used: usize,
    /// Parts that have not been given back. Once there are none, all memory is free.
    parts: usize,
}

/// A piece of memory from the caller's allocator, which outlives all that was taken from it.
pub struct Reserve(NonNull<Head>);

impl Reserve {
    /// Takes `capacity` bytes from a stream's allocator; `None` if it has no memory.
    ///
    /// # Safety
    /// The stream's `zalloc` returns null or memory of the requested size, aligned for pointers,
    /// and both functions stay valid as long as the reserve.
    pub unsafe fn new(strm: &z_stream, capacity: usize) -> Option<Self> {
        let (zalloc, zfree, opaque) = (strm.zalloc?, strm.zfree?, strm.opaque);
        let size = (size_of::<Head>() + capacity).next_multiple_of(ALLOCATION_UNIT);
        let (size, capacity) = (u32::try_from(size).ok()?, size - size_of::<Head>());
        // SAFETY: zlib calls it the same way.
        let head = NonNull::new(unsafe { zalloc(opaque, 1, size) })?.cast::<Head>();
        // SAFETY: the memory is new, large enough, and aligned by this function's condition.
        unsafe { head.write(Head { zalloc, zfree, opaque, capacity, used: 0, parts: 0 }) };
        Some(Self(head))
    }

    /// Returns an unopened stream on this memory. If it is not enough, more comes from the caller's
    /// allocator.
    pub fn stream(&self) -> z_stream {
        let opaque = self.0.as_ptr().cast();
        z_stream { zalloc: Some(take), zfree: Some(give_back), opaque, ..z_stream::default() }
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        // SAFETY: the piece is this one's, and its function belongs to the one that allocated it.
        unsafe {
            let Head { zfree, opaque, .. } = *self.0.as_ref();
            zfree(opaque, self.0.as_ptr().cast());
        }
    }
}

/// `zalloc` of a stream on a [`Reserve`].
unsafe extern "C" fn take(opaque: *mut c_void, items: c_uint, size: c_uint) -> *mut c_void {
    let head = opaque.cast::<Head>();
    // SAFETY: `stream` put it there, and one call at a time uses a stream and its reserve.
    let Head { zalloc, opaque, capacity, used, parts, .. } = unsafe { &mut *head };
    let len = (items as usize * size as usize).next_multiple_of(ALIGNMENT);
    if len > *capacity - *used {
        // SAFETY: zlib calls it the same way.
        return unsafe { zalloc(*opaque, items, size) };
    }
    let start = *used;
    (*used, *parts) = (start + len, *parts + 1);
    // SAFETY: the memory behind the head has that many bytes.
    unsafe { head.add(1).byte_add(start) }.cast()
}

/// `zfree` of such a stream.
unsafe extern "C" fn give_back(opaque: *mut c_void, address: *mut c_void) {
    let head = opaque.cast::<Head>();
    // SAFETY: as above.
    let Head { zfree, opaque, capacity, used, parts, .. } = unsafe { &mut *head };
    let memory = head.wrapping_add(1).addr();
    if (memory..memory + *capacity).contains(&address.addr()) {
        *parts -= 1;
        if *parts == 0 {
            *used = 0;
        }
    } else {
        // SAFETY: the address came from the caller's `zalloc`, by way of `take`.
        unsafe { zfree(*opaque, address) };
    }
}
