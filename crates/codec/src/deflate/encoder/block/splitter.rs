//! Block splitter: ends a block where codes of its own save more than their header costs.

use crate::deflate::encoder::symbols::Histogram;

/// Estimates the bits of a header: a fixed part and three bits for each symbol. The estimate is
/// within a fifth of real headers.
#[inline(always)]
fn header(counts: &Histogram) -> f32 {
    let used = counts.literals.iter().chain(&counts.distances).filter(|&&count| count > 0).count();
    57.0 + 3.0 * used as f32
}

/// An estimate of a block's bits apart from extra bits: the entropy of its symbols, and the header.
#[inline(always)]
pub(crate) fn cost(counts: &Histogram) -> f32 {
    header(counts) + entropy(&counts.literals) + entropy(&counts.distances)
}

/// Bits of symbols that occur so often in an ideal code: the sum of count * log2(total / count).
#[inline(always)]
pub(crate) fn entropy(counts: &[u32]) -> f32 {
    let total: u32 = counts.iter().sum();
    // Several sums in turn, as an addition waits for the one before; their order does not depend on
    // the processor.
    let mut sums = [0.0_f32; 16];
    let (sixteens, rest) = counts.as_chunks::<16>();
    for sixteen in sixteens {
        sums.iter_mut().zip(sixteen).for_each(|(sum, &count)| *sum += count as f32 * log2(count));
    }
    sums.iter_mut().zip(rest).for_each(|(sum, &count)| *sum += count as f32 * log2(count));
    total as f32 * log2(total) - sums.iter().sum::<f32>()
}

/// Returns the approximate binary logarithm; 0 for 0. Its operations round alike on every
/// processor, so that blocks are the same everywhere.
#[inline(always)]
pub(crate) fn log2(count: u32) -> f32 {
    let bits = (count.max(1) as f32).to_bits();
    let exponent = (bits >> 23) as f32 - 127.0;
    // The mantissa. The parabola is exact at both of its ends, and at the middle of the logarithm.
    let m = f32::from_bits(bits & 0x7f_ffff | 0x3f80_0000);
    exponent + (m - 1.0) * (1.3465 - 0.3465 * (m - 1.0))
}

/// Returns whether ending the block before the next tokens saves bits.
#[inline(always)]
pub(crate) fn should_split(block: &Histogram, next: &Histogram) -> bool {
    let mut both = *block;
    both.merge(next);
    // A loop, as three copies of the code would have three frames.
    let [block, next, both] = [block, next, &both].map(cost);
    block + next < both
}

#[cfg(test)]
mod tests;
