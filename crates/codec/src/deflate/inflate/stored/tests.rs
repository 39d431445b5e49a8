use super::*;

/// A stored block, with these bits above its first three.
fn block(is_last: bool, above: u8, uncompressed: &[u8]) -> Vec<u8> {
    let len = uncompressed.len() as u16;
    let header = [u8::from(is_last) | above << 3];
    [&header[..], &len.to_le_bytes(), &(!len).to_le_bytes(), uncompressed].concat()
}

#[test]
fn blocks_are_copied_up_to_the_last() {
    let uncompressed: Vec<u8> = (0..100_000_u64).map(|at| ((at * at) >> 5) as u8).collect();
    let (first, second) = uncompressed.split_at(65_535);
    // The bits that complete a header's byte may be anything.
    let stream = [block(false, 0, first), block(false, 31, &[]), block(true, 5, second)].concat();
    let mut output = vec![0; uncompressed.len()];
    let done = Progress { consumed: stream.len(), produced: uncompressed.len() };
    assert_eq!(decode(&[&stream[..], b"more"].concat(), &mut output), Some(done));
    assert!(output == uncompressed);
    assert_eq!(decode(&stream, &mut output[1..]), None, "there is no room");
    for len in 0..stream.len().min(20) {
        assert_eq!(decode(&stream[..len], &mut output), None);
    }
    assert_eq!(decode(&stream[..stream.len() - 1], &mut output), None);
}

#[test]
fn what_else_there_may_be_is_for_others() {
    let mut output = [0; 10];
    for kind in 1..4 {
        let mut stream = block(true, 0, b"abc");
        stream[0] |= kind << 1;
        assert_eq!(decode(&stream, &mut output), None);
    }
    let mut stream = block(true, 0, b"abc");
    stream[3] ^= 1;
    assert_eq!(decode(&stream, &mut output), None, "LEN and NLEN don't agree");
    assert_eq!(decode(&[block(false, 0, b"abc"), vec![0b011, 0]].concat(), &mut output), None);
}
