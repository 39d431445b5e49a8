use super::*;

/// The kind of a first block, by zlib's rules.
fn expected(input: &[u8]) -> c_int {
    let is_binary = |&byte: &u8| matches!(byte, 0..=6 | 14..=25 | 28..=31);
    let is_text = |&byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..);
    if !input.iter().any(is_binary) && input.iter().any(is_text) { Z_TEXT } else { Z_BINARY }
}

fn kind(pieces: &[&[u8]]) -> Option<c_int> {
    let mut kind = DataType::default();
    pieces.iter().for_each(|piece| kind.observe(piece));
    kind.kind(Z_FINISH)
}

#[test]
fn every_byte_counts_as_in_zlib() {
    for byte in 0..=255 {
        assert_eq!(kind(&[&[byte]]), Some(expected(&[byte])), "{byte}");
        assert_eq!(kind(&[b"text", &[byte]]), Some(expected(&[b't', byte])), "text and {byte}");
    }
}

#[test]
fn a_control_character_counts_wherever_it_is() {
    for at in [0, CHUNK - 1, CHUNK, 3 * CHUNK + 7, FIRST_BLOCK - 1] {
        let mut input = vec![b'a'; FIRST_BLOCK + 1];
        assert_eq!(kind(&[&input]), Some(Z_TEXT));
        input[at] = 0;
        assert_eq!(kind(&[&input]), Some(Z_BINARY), "at {at}");
        assert_eq!(kind(&[&input[..at], &input[at..]]), Some(Z_BINARY), "at {at}, in two calls");
    }
    // Beyond the first block, nothing is examined.
    let mut input = vec![b'a'; FIRST_BLOCK + 1];
    input[FIRST_BLOCK] = 0;
    assert_eq!(kind(&[&input]), Some(Z_TEXT));
}
