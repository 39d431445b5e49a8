use super::*;

#[test]
fn parts_join_to_a_stream() {
    let uncompressed: Vec<u8> = (0..100_000u32).flat_map(|number| (number / 7).to_le_bytes()).collect();
    for level in [0, 1, 4, 6, 9, 12] {
        let mut stream = Vec::new();
        let mut encoder = BlockEncoder::new();
        for start in (0..uncompressed.len()).step_by(70_001) {
            let end = uncompressed.len().min(start + 70_001);
            let mut part = vec![0; part_bound(end - start)];
            let len = encoder.deflate_part(&uncompressed[..end], start, level, &mut part).expect("it fits");
            assert_eq!(part[len - 4..len], [0, 0, 0xff, 0xff], "level {level}");
            stream.extend_from_slice(&part[..len]);
        }
        // The fixed code, the last block, with nothing in it.
        stream.extend([0b011, 0]);
        let mut back = vec![0; uncompressed.len() + 1];
        let done = crate::Decoder::new().decompress(Format::Deflate, &stream, &mut back).expect("a stream");
        assert_eq!((done.consumed, done.produced), (stream.len(), uncompressed.len()), "level {level}");
        assert!(back.starts_with(&uncompressed), "level {level}");
    }
}

#[test]
fn the_bound_holds_for_noise_and_for_nothing() {
    let mut state = 1u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    })
    .take(300_000)
    .collect();
    for len in [0, 1, 100, 16 << 10, 65_536, 300_000] {
        for level in 0..=9 {
            let mut part = vec![0; part_bound(len)];
            let done = BlockEncoder::new().deflate_part(&noise[..len], 0, level, &mut part);
            assert!(done.is_ok(), "{len} bytes, level {level}: {done:?}");
        }
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let done = BlockEncoder::new().deflate_part(&[7; 1000], 0, 1, &mut [0; 10]);
    assert!(matches!(done, Err(Error::OutputTooSmall { room: 10, .. })), "{done:?}");
}
