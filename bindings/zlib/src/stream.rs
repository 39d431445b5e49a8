//! Connection of a `z_stream` to its state, and to the stream of zlib-rs behind that.
//!
//! `strm.state` points to a structure that begins with a [`Tag`]: the kind of the state and its
//! owner. A `z_stream` that was copied byte by byte has a state with another owner, and is
//! rejected, as by zlib.

use std::ffi::{c_char, c_int};
use std::ptr::NonNull;

use libz_rs_sys::{Z_MEM_ERROR, Z_STREAM_ERROR, z_stream};

use crate::{memory, version};

/// The first field of every state.
#[repr(C)]
pub struct Tag {
    kind: u64,
    owner: *mut z_stream,
}

/// A state that `strm.state` may point to.
///
/// # Safety
/// The type is `repr(C)` and its first field is the [`Tag`].
pub unsafe trait State: Sized {
    /// Number that identifies this kind of state.
    const KIND: u64;

    /// Returns the first field of a state of `owner`.
    fn tag(owner: *mut z_stream) -> Tag {
        Tag { kind: Self::KIND, owner }
    }
}

/// A caller's stream with a state of this kind, both borrowed for one call.
pub struct Open<'a, S> {
    pub strm: &'a mut z_stream,
    pub state: &'a mut S,
}

impl<S: State> Open<'_, S> {
    /// Borrows a stream and its state; `None` for a null stream, a null state, or a state of
    /// another kind or owner.
    ///
    /// # Safety
    /// `strm` is null, or a `z_stream` with no other user during the borrow, and with a null or
    /// valid state.
    pub unsafe fn of(strm: *mut z_stream) -> Option<Self> {
        // SAFETY: by this function's condition.
        let stream = unsafe { strm.as_mut() }?;
        if stream.zalloc.is_none() || stream.zfree.is_none() || stream.state.is_null() {
            return None;
        }
        // SAFETY: a state that is alive begins with a tag; if the tag is of this kind, so is the
        // state.
        let state = unsafe {
            let tag = &*stream.state.cast::<Tag>();
            if tag.kind != S::KIND || tag.owner != strm {
                return None;
            }
            &mut *stream.state.cast::<S>()
        };
        Some(Self { strm: stream, state })
    }

    /// Sets the state of `strm`. Returns whether there was memory for it.
    ///
    /// # Safety
    /// The stream's `zalloc` does what zlib asks of it.
    unsafe fn give(strm: &mut z_stream, state: S) -> bool {
        // SAFETY: by this function's condition.
        let address = unsafe { memory::place(strm, state) };
        strm.state = address.cast();
        !address.is_null()
    }

    /// Sets the state of `strm` and borrows both; `None` if there is no memory.
    ///
    /// # Safety
    /// As for [`Self::of`] and [`Self::give`].
    pub unsafe fn create(strm: *mut z_stream, state: S) -> Option<Self> {
        // SAFETY: by this function's condition; the borrow for `give` ends before that for `of`
        // begins.
        unsafe { if Self::give(strm.as_mut()?, state) { Self::of(strm) } else { None } }
    }

    /// Makes `dest` a copy of this stream, with the state that `copy` makes for it, or returns the
    /// code of the call.
    ///
    /// # Safety
    /// `dest` is null or memory for a stream, which may be uninitialised.
    pub unsafe fn copy_to(
        &self,
        dest: *mut z_stream,
        copy: fn(&S, &mut z_stream) -> Option<S>,
    ) -> Result<Self, c_int> {
        if dest.is_null() {
            return Err(Z_STREAM_ERROR);
        }
        // SAFETY: by this function's condition; the allocator is this stream's.
        unsafe {
            dest.write(*self.strm);
            let state = copy(self.state, &mut *dest).ok_or(Z_MEM_ERROR)?;
            Self::create(dest, state).ok_or(Z_MEM_ERROR)
        }
    }

    /// Drops the state and frees it. Its stream of zlib-rs has been closed.
    pub fn close(self) {
        let address: *mut S = self.state;
        // SAFETY: the state came from `give`, and both borrows end here.
        unsafe {
            address.drop_in_place();
            memory::release(self.strm, address);
        }
        self.strm.state = std::ptr::null_mut();
    }
}

/// Returns an unopened stream of zlib-rs with the caller's allocator.
pub fn unopened(strm: &z_stream) -> z_stream {
    let (zalloc, zfree, opaque) = (strm.zalloc, strm.zfree, strm.opaque);
    let mut inner = z_stream { zalloc, zfree, opaque, state: std::ptr::null_mut(), ..z_stream::default() };
    detach(&mut inner);
    inner
}

/// Sets the buffers of `inner` to the caller's.
pub fn attach(inner: &mut z_stream, strm: &z_stream) {
    inner.next_in = strm.next_in;
    inner.avail_in = strm.avail_in;
    inner.total_in = strm.total_in;
    inner.next_out = strm.next_out;
    inner.avail_out = strm.avail_out;
    inner.total_out = strm.total_out;
}

/// Advances the caller's stream by the bytes that `inner` has read and written since [`attach`].
/// Returns both counts.
pub fn advance(inner: &mut z_stream, strm: &mut z_stream) -> (usize, usize) {
    let (read, written) = (strm.avail_in - inner.avail_in, strm.avail_out - inner.avail_out);
    strm.next_in = inner.next_in;
    strm.avail_in = inner.avail_in;
    // This is not the sum: zlib-rs counts a dictionary as input.
    strm.total_in = inner.total_in;
    strm.next_out = inner.next_out;
    strm.avail_out = inner.avail_out;
    strm.total_out += u64::from(written);
    strm.msg = inner.msg;
    detach(inner);
    (read as usize, written as usize)
}

/// Removes the caller's buffers from `inner`. The pointers become dangling, as zlib-rs rejects null
/// even where a call uses no buffer.
pub fn detach(inner: &mut z_stream) {
    inner.next_in = NonNull::dangling().as_ptr();
    inner.avail_in = 0;
    inner.next_out = NonNull::dangling().as_ptr();
    inner.avail_out = 0;
}

/// First part of every `Init`: checks version and size of `z_stream`, clears the message and sets
/// the memory functions. Returns the stream, or the code of the call.
///
/// # Safety
/// `version` is null or a C string, `strm` null or a stream of the caller's.
pub unsafe fn admit<'a>(
    strm: *mut z_stream,
    version: *const c_char,
    size: c_int,
) -> Result<&'a mut z_stream, c_int> {
    // SAFETY: by this function's condition.
    let stream = unsafe {
        version::check(version, size)?;
        strm.as_mut().ok_or(Z_STREAM_ERROR)?
    };
    stream.msg = std::ptr::null_mut();
    memory::set_defaults(stream);
    Ok(stream)
}
