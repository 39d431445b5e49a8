//! Memory for streams, as zlib allocates it: from the caller's `zalloc`, else from malloc.

use std::ffi::{c_uint, c_void};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use libz_rs_sys::{alloc_func, free_func, z_stream};

/// Default `zalloc`: malloc, which aligns memory for all types of this crate.
pub unsafe extern "C" fn malloc(_: *mut c_void, items: c_uint, size: c_uint) -> *mut c_void {
    // SAFETY: malloc has no conditions; two numbers of 32 bits can't overflow one of 64.
    unsafe { libc::malloc(items as usize * size as usize) }
}

/// Default `zfree`, for memory of [`malloc`].
pub unsafe extern "C" fn free(_: *mut c_void, address: *mut c_void) {
    // SAFETY: a stream frees only memory that it allocated.
    unsafe { libc::free(address) }
}

/// Sets the functions that the caller left out, as every `Init` of zlib does.
pub fn set_defaults(strm: &mut z_stream) {
    if strm.zalloc.is_none() {
        strm.zalloc = Some(malloc);
        strm.opaque = std::ptr::null_mut();
    }
    if strm.zfree.is_none() {
        strm.zfree = Some(free);
    }
}

/// Returns whether the stream uses malloc because the caller set no allocator.
pub fn uses_malloc(strm: &z_stream) -> bool {
    strm.zalloc.is_some_and(|alloc| std::ptr::fn_addr_eq(alloc, malloc as alloc_func))
}

/// Allocation unit in bytes. nginx reserves 8 KB of its memory for a smaller piece, unless its size
/// is a multiple of this.
pub const ALLOCATION_UNIT: usize = 512;

/// A value in memory of a stream's allocator.
pub struct Placed<T> {
    address: NonNull<T>,
    free: Option<free_func>,
    opaque: *mut c_void,
}

impl<T: Copy> Placed<T> {
    /// Copies a value to new memory, not by way of the stack; `None` if there is no memory.
    ///
    /// # Safety
    /// As for [`place`]; in addition, the functions stay valid as long as the value.
    pub unsafe fn copy_of(strm: &z_stream, value: &T) -> Option<Self> {
        // SAFETY: by this function's condition; the memory is new, and large enough for the value.
        unsafe {
            let address = NonNull::new(allocate::<T>(strm))?;
            address.as_ptr().copy_from_nonoverlapping(value, 1);
            Some(Self { address, free: strm.zfree, opaque: strm.opaque })
        }
    }
}

impl<T> Deref for Placed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the value is initialised and owned.
        unsafe { self.address.as_ref() }
    }
}

impl<T> DerefMut for Placed<T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the same.
        unsafe { self.address.as_mut() }
    }
}

impl<T> Drop for Placed<T> {
    fn drop(&mut self) {
        // SAFETY: the value is owned, and not used again; `free` belongs to the function that
        // allocated it.
        unsafe {
            self.address.drop_in_place();
            if let Some(free) = self.free {
                free(self.opaque, self.address.as_ptr().cast());
            }
        }
    }
}

/// Moves `value` to memory of the stream's allocator; null if there is no memory.
///
/// # Safety
/// `strm.zalloc` returns null or memory of the requested size, aligned for pointers.
pub unsafe fn place<T>(strm: &z_stream, value: T) -> *mut T {
    // SAFETY: by this function's condition.
    let address = unsafe { allocate::<T>(strm) };
    if !address.is_null() {
        // SAFETY: by this function's condition.
        unsafe { address.write(value) };
    }
    address
}

/// Returns memory for a value; null if there is none.
///
/// # Safety
/// As for [`place`].
unsafe fn allocate<T>(strm: &z_stream) -> *mut T {
    const { assert!(align_of::<T>() <= align_of::<*mut c_void>()) };
    let Some(alloc) = strm.zalloc else { return std::ptr::null_mut() };
    let size = size_of::<T>().next_multiple_of(ALLOCATION_UNIT);
    // SAFETY: zlib calls it the same way.
    unsafe { alloc(strm.opaque, 1, size as c_uint) }.cast::<T>()
}

/// Frees memory that [`place`] returned for a stream with the same functions. The value has been
/// dropped or moved.
///
/// # Safety
/// `address` came from [`place`] and is not used again.
pub unsafe fn release<T>(strm: &z_stream, address: *mut T) {
    if let Some(free) = strm.zfree {
        // SAFETY: by this function's condition.
        unsafe { free(strm.opaque, address.cast()) };
    }
}
