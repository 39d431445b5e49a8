//! Parameters of kernels as bytes.
#![allow(unsafe_code)]

/// A value that can be passed to a kernel as bytes.
///
/// # Safety
/// The type is `#[repr(C)]`, has no padding (spell it out as fields), and any bytes make a value of
/// it.
pub unsafe trait Pod: Copy + 'static {}

macro_rules! pod {
    ($($type:ty),*) => {
        $(
            // SAFETY: a number has no padding, and any bytes make one.
            unsafe impl Pod for $type {}
        )*
    };
}
pod!(u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, f32, f64);

// SAFETY: elements of an array follow one another without padding.
unsafe impl<T: Pod, const N: usize> Pod for [T; N] {}

/// Returns the bytes of a value in memory.
pub fn bytes_of<T: Pod>(value: &T) -> &[u8] {
    // SAFETY: `Pod` promises that all the bytes are initialised; they live as long as the value.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) }
}

/// Returns the bytes of many values, one after the other.
pub fn bytes_of_slice<T: Pod>(values: &[T]) -> &[u8] {
    // SAFETY: as for one value; a slice has no padding between elements.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// Returns values from bytes that a kernel wrote. `None` if the length is not a multiple of their
/// size.
pub fn from_bytes<T: Pod>(bytes: &[u8]) -> Option<Vec<T>> {
    let size = size_of::<T>();
    if size == 0 || !bytes.len().is_multiple_of(size) {
        return None;
    }
    // SAFETY: each chunk has the size of a `T`, which any bytes make; the read needs no alignment.
    Some(
        bytes
            .chunks_exact(size)
            .map(|chunk| unsafe { chunk.as_ptr().cast::<T>().read_unaligned() })
            .collect(),
    )
}

#[cfg(test)]
mod tests;
