use super::*;

#[test]
fn bits_are_appended_behind_a_partial_byte() {
    let mut bytes = [0xff; 4];
    let mut output = Output { bytes: &mut bytes, len: 0, bits: 0 };
    output.put(0b101, 3).expect("it fits");
    // The byte still has old bits above the used ones.
    assert_eq!((output.len, output.bits), (0, 3));
    output.put(0, 7).expect("it fits");
    assert_eq!((output.len, output.bits), (1, 2));
    output.align();
    output.append(&[7]).expect("it fits");
    assert_eq!((output.len, &bytes[..3]), (3, &[0b101, 0, 7][..]));
}

#[test]
fn output_that_does_not_fit_is_an_error() {
    let mut output = Output { bytes: &mut [0; 1], len: 0, bits: 0 };
    output.put(0, 5).expect("it fits");
    assert_eq!(output.put(0, 7), Err(DfltccError::DoesNotShrink));
    output.put(0, 3).expect("it fits exactly");
    assert_eq!(output.put(0, 1), Err(DfltccError::DoesNotShrink));
    assert_eq!(output.append(&[1]), Err(DfltccError::DoesNotShrink));
}

#[test]
fn blocks_have_a_whole_sample() {
    for (rest, expected) in [
        (1, 1),
        (BLOCK_BYTES, BLOCK_BYTES),
        (BLOCK_BYTES + SAMPLE_BYTES - 1, BLOCK_BYTES + SAMPLE_BYTES - 1),
        (BLOCK_BYTES + SAMPLE_BYTES, BLOCK_BYTES),
        (usize::MAX, BLOCK_BYTES),
    ] {
        assert_eq!(block_len(rest), expected, "{rest}");
    }
}
