use super::*;
use crate::{Decoder, Format};

/// A block of literals, written one bit at a time with the codewords that are given out.
#[test]
fn a_block_written_with_the_words_is_decoded() {
    for uncompressed in [&b""[..], b"a", b"abracadabra", &[7; 3000], &(0..=255).collect::<Vec<u8>>()] {
        let mut counts = [0; LITERALS];
        uncompressed.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        let codes = BlockCodes::best(&counts, &[0; DISTANCES]);
        let mut out = vec![0; 1000 + 2 * uncompressed.len()];
        let mut at = codes.write_header(true, &mut out).expect("there is room");
        let codewords = codes.literals();
        for symbol in uncompressed.iter().map(|&byte| usize::from(byte)).chain([END]) {
            let (word, len) = codewords[symbol];
            for bit in (0..len).rev() {
                out[at / 8] |= ((word >> bit & 1) as u8) << (at % 8);
                at += 1;
            }
        }
        let mut back = vec![0; uncompressed.len()];
        let done = Decoder::new().decompress(Format::Deflate, &out, &mut back).expect("a block");
        assert_eq!((done.consumed, &back[..]), (at.div_ceil(8), uncompressed));
    }
}

#[test]
fn counts_of_any_size_have_a_code() {
    let mut counts = [0; LITERALS];
    (counts[0], counts[1], counts[2]) = (u32::MAX, 1, TOO_MANY);
    let codes = BlockCodes::best(&counts, &[u32::MAX; DISTANCES]);
    let lengths = codes.literals().map(|(_, len)| len);
    assert_eq!((lengths[0], lengths[2]), (1, 2));
    assert!(lengths[1] > 2 && lengths[END] > 2);
}
