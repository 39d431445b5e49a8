//! Places of the parts of a pass.

use super::*;

/// `spill_place` and `in_part` of the kernels.
#[test]
fn the_places_of_a_pass_have_its_hashes() {
    for parts in [1u64, 2, 4, 8, 16, 32, 64] {
        for hash in 0..PARTS {
            let place = ((hash as u32).reverse_bits() >> 26) as usize;
            let of = (0..parts).filter(|&part| places(Pass { parts, part }).contains(&place));
            assert_eq!(of.collect::<Vec<_>>(), [hash % parts], "hash {hash} of {parts}");
        }
    }
}
