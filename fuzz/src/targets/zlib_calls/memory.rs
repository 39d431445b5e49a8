//! Allocator of a caller, which knows its live blocks.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{c_uint, c_void};

use libz_rs_sys::z_stream;

/// Content of memory that was just allocated, and of freed memory.
const FILLING: u8 = 0xA5;

/// Memory of a stream and its copies.
#[derive(Default)]
pub struct Memory(RefCell<Given>);

#[derive(Default)]
struct Given {
    pieces: HashMap<usize, Layout>,
    /// Something was given back that was not given.
    is_wrong: bool,
}

impl Memory {
    /// Has a stream that was not begun take its memory here. This outlives the stream.
    pub fn lend(&self, strm: &mut z_stream) {
        strm.zalloc = Some(zalloc);
        strm.zfree = Some(zfree);
        strm.opaque = (&raw const *self).cast_mut().cast();
    }

    /// The streams are closed, and have given everything back.
    pub fn check(&self) {
        let given = self.0.borrow();
        assert!(!given.is_wrong, "memory was freed that was not allocated");
        assert!(given.pieces.is_empty(), "{} pieces of memory were not freed", given.pieces.len());
    }
}

unsafe extern "C" fn zalloc(opaque: *mut c_void, items: c_uint, size: c_uint) -> *mut c_void {
    // SAFETY: `lend` put it there.
    let memory = unsafe { &*opaque.cast::<Memory>() };
    let len = items as usize * size as usize;
    // The alignment of malloc.
    let layout = Layout::from_size_align(len.max(1), 16).expect("a size that zlib asks for");
    // SAFETY: the size is not zero; the memory is as long as that, if there is any.
    unsafe {
        let address = alloc(layout);
        if !address.is_null() {
            address.write_bytes(FILLING, layout.size());
            memory.0.borrow_mut().pieces.insert(address.addr(), layout);
        }
        address.cast()
    }
}

unsafe extern "C" fn zfree(opaque: *mut c_void, address: *mut c_void) {
    // SAFETY: `lend` put it there.
    let mut given = unsafe { &*opaque.cast::<Memory>() }.0.borrow_mut();
    match given.pieces.remove(&address.addr()) {
        // SAFETY: it came from `zalloc`, and was not given back yet.
        Some(layout) => unsafe {
            address.cast::<u8>().write_bytes(FILLING, layout.size());
            dealloc(address.cast(), layout);
        },
        None => given.is_wrong |= !address.is_null(),
    }
}
