//! Plain reading of bytes, limited by memory alone.

/// Returns the sum of words of bytes, of 256 bytes at a time; the rest is left out.
pub fn sum(bytes: &[u8]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has it.
        return unsafe { sum_avx512(bytes) };
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has it.
        return unsafe { sum_avx2(bytes) };
    }
    sum_words(bytes)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn sum_avx512(bytes: &[u8]) -> u64 {
    use std::arch::x86_64::*;
    let mut sums = [_mm512_setzero_si512(); 4];
    for bytes in bytes.as_chunks::<256>().0 {
        for (i, sum) in sums.iter_mut().enumerate() {
            // SAFETY: there are 256 bytes.
            *sum = _mm512_add_epi64(*sum, unsafe { _mm512_loadu_si512(bytes.as_ptr().add(i * 64).cast()) });
        }
    }
    let [a, b, c, d] = sums;
    let all = _mm512_add_epi64(_mm512_add_epi64(a, b), _mm512_add_epi64(c, d));
    _mm512_reduce_add_epi64(all) as u64
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn sum_avx2(bytes: &[u8]) -> u64 {
    sum_words(bytes)
}

#[inline(always)]
fn sum_words(bytes: &[u8]) -> u64 {
    let mut sums = [0u64; 32];
    for bytes in bytes.as_chunks::<256>().0 {
        for (sum, word) in sums.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *sum = sum.wrapping_add(u64::from_le_bytes(*word));
        }
    }
    sums.into_iter().fold(0, u64::wrapping_add)
}

#[cfg(test)]
mod tests;
