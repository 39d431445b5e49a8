//! How a `z_stream` finds its state, and how its pointers reach the stream of zlib-rs behind it.
//!
//! `strm.state` points to a structure that begins with a [`Tag`]: what kind of state it is, and
//! whose. A stream that was copied byte by byte has a state that names another owner, and is
//! refused, as zlib refuses it.

use std::ffi::{c_char, c_int};
use std::ptr::NonNull;

use libz_rs_sys::{Z_MEM_ERROR, Z_STREAM_ERROR, z_stream};

use crate::{memory, version};

/// What every state begins with.
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
    /// What tells this kind from others.
    const KIND: u64;

    /// The first field, for a state of `owner`.
    fn tag(owner: *mut z_stream) -> Tag {
        Tag { kind: Self::KIND, owner }
    }
}

/// A caller's stream that has a state of this kind, both borrowed for one call.
pub struct Open<'a, S> {
    pub strm: &'a mut z_stream,
    pub state: &'a mut S,
}

impl<S: State> Open<'_, S> {
    /// The stream and its state; none if there is no stream, no state, or one that is of another
    /// kind or stream.
    ///
    /// # Safety
    /// `strm` is null, or a `z_stream` that nobody else uses meanwhile, with a state that is null
    /// or alive.
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

    /// Gives `strm` a state; whether there was memory for it.
    ///
    /// # Safety
    /// The stream's `zalloc` does what zlib asks of it.
    unsafe fn give(strm: &mut z_stream, state: S) -> bool {
        // SAFETY: by this function's condition.
        let address = unsafe { memory::place(strm, state) };
        strm.state = address.cast();
        !address.is_null()
    }

    /// Gives `strm` a state and borrows both; none if there is no memory.
    ///
    /// # Safety
    /// As for [`Self::of`] and [`Self::give`].
    pub unsafe fn create(strm: *mut z_stream, state: S) -> Option<Self> {
        // SAFETY: by this function's condition; the borrow for `give` ends before that for `of`
        // begins.
        unsafe { if Self::give(strm.as_mut()?, state) { Self::of(strm) } else { None } }
    }

    /// Makes `dest` a stream like this one, with the state that `copy` makes for it, or says what
    /// the call is to return.
    ///
    /// # Safety
    /// `dest` is null or memory for a stream, which need not be one yet.
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

    /// Drops the state and frees it. The stream of zlib-rs that it holds has been closed.
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

/// A stream of zlib-rs that is not open yet, with the allocator of the caller's.
pub fn unopened(strm: &z_stream) -> z_stream {
    let (zalloc, zfree, opaque) = (strm.zalloc, strm.zfree, strm.opaque);
    let mut inner = z_stream { zalloc, zfree, opaque, state: std::ptr::null_mut(), ..z_stream::default() };
    detach(&mut inner);
    inner
}

/// Lets `inner` read and write where the caller's stream does.
pub fn attach(inner: &mut z_stream, strm: &z_stream) {
    inner.next_in = strm.next_in;
    inner.avail_in = strm.avail_in;
    inner.total_in = strm.total_in;
    inner.next_out = strm.next_out;
    inner.avail_out = strm.avail_out;
    inner.total_out = strm.total_out;
}

/// Moves the caller's stream on by what `inner` has read and written since [`attach`]; how much
/// that was.
pub fn advance(inner: &mut z_stream, strm: &mut z_stream) -> (usize, usize) {
    let (read, written) = (strm.avail_in - inner.avail_in, strm.avail_out - inner.avail_out);
    strm.next_in = inner.next_in;
    strm.avail_in = inner.avail_in;
    // Not the sum: a dictionary counts as input, although it is none.
    strm.total_in = inner.total_in;
    strm.next_out = inner.next_out;
    strm.avail_out = inner.avail_out;
    strm.total_out += u64::from(written);
    strm.msg = inner.msg;
    detach(inner);
    (read as usize, written as usize)
}

/// Takes the caller's buffers away. zlib-rs refuses null even in calls that use no buffer, so the
/// pointers are to nothing.
pub fn detach(inner: &mut z_stream) {
    inner.next_in = NonNull::dangling().as_ptr();
    inner.avail_in = 0;
    inner.next_out = NonNull::dangling().as_ptr();
    inner.avail_out = 0;
}

/// What every `Init` begins with: a stream that the caller compiled for a zlib like this one,
/// without a message, with functions for its memory; or what the call is to return.
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
