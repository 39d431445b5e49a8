use super::*;

#[test]
fn literals_are_those_of_the_table() {
    for place in 0..BYTES {
        for byte in 0..=u8::MAX {
            // Bytes of a codeword that stands for 0, around the tested byte.
            let mut bits = [FIXED_CODEWORDS[0].0 as u8; 8];
            bits[place] = byte;
            let (found, count) = literals(u64::from_le_bytes(bits));
            let literal = (0..END_OF_BLOCK).find(|symbol| FIXED_CODEWORDS[*symbol] == (byte.into(), 8));
            assert_eq!(count, if literal.is_some() { BYTES } else { place }, "byte {byte:#x} at {place}");
            assert!(found[..place].iter().all(|literal| *literal == 0));
            if let Some(literal) = literal {
                assert_eq!(usize::from(found[place]), literal, "byte {byte:#x} at {place}");
            }
        }
    }
}
