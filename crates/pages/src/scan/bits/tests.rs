use pelton_random::Random;

use super::*;

/// Returns pseudo-random bits at an offset that is no multiple of a byte; about one in `sparse`
/// is set.
fn random(seed: u64, len: usize, sparse: u64) -> BooleanBuffer {
    let mut random = Random::new(seed);
    let bit = |_| random.next().is_multiple_of(sparse);
    BooleanBuffer::from_iter((0..len + 3).map(bit)).slice(3, len)
}

#[test]
fn as_bit_by_bit() {
    for len in [0, 1, 63, 64, 65, 127, 128, 1000, 8192] {
        for (sparse, kept) in [(1, 1), (1, 3), (2, 2), (50, 2), (2, 50), (2, 1)] {
            let mask = random(len as u64, len, sparse);
            let bits = random(7, mask.count_set_bits(), kept);
            let mut expected = vec![false; len];
            for (row, bit) in mask.set_indices().zip(bits.iter()) {
                expected[row] = bit;
            }
            assert_eq!(deposit(&mask, &bits), BooleanBuffer::from(expected), "{len} {sparse} {kept}");
        }
    }
}
