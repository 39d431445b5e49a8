//! Parameters of kernels as bytes.
#![allow(unsafe_code)]

/// A value whose bytes can be given to a kernel.
///
/// # Safety
/// The type is `#[repr(C)]`, has no padding (spell it out as fields), and any bytes make a value of
/// it.
pub unsafe trait Plain: Copy + 'static {}

macro_rules! plain {
    ($($type:ty),*) => {
        $(
            // SAFETY: a number has no padding, and any bytes make one.
            unsafe impl Plain for $type {}
        )*
    };
}
plain!(u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, f32, f64);

// SAFETY: elements of an array follow one another without padding.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// The bytes of a value, as it lies in memory.
pub fn bytes_of<T: Plain>(value: &T) -> &[u8] {
    // SAFETY: `Plain` promises that all the bytes are initialised; they live as long as the value.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) }
}

/// The bytes of many values, one after the other.
pub fn bytes_of_slice<T: Plain>(values: &[T]) -> &[u8] {
    // SAFETY: as for one value; a slice has no padding between elements.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// Values from bytes that a kernel wrote. `None` if the length is not a whole number of them.
pub fn from_bytes<T: Plain>(bytes: &[u8]) -> Option<Vec<T>> {
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
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let values = [1u32, 0x0102_0304, u32::MAX];
        assert_eq!(bytes_of(&values), bytes_of_slice(&values));
        assert_eq!(bytes_of(&values[1]), 0x0102_0304u32.to_ne_bytes());
        // From an odd address on.
        let mut bytes = vec![0];
        bytes.extend_from_slice(bytes_of(&values));
        assert_eq!(from_bytes::<u32>(&bytes[1..]), Some(values.to_vec()));
        assert_eq!(from_bytes::<u32>(&bytes), None);
    }
}
