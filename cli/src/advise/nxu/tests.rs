use super::*;

fn sample(blocks: &[Vec<u8>]) -> Sample {
    let blocks: Vec<Bytes> = blocks.iter().map(|block| Bytes::copy_from_slice(block)).collect();
    let bytes = blocks.iter().map(|block| block.len() as u64).sum();
    Sample { blocks, bytes, of: bytes, is_whole: true, cut_to: None }
}

#[test]
fn data_without_repetitions_is_stored() {
    let text = b"carefully final deposits sleep".repeat(400);
    let mut state = 1_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 56) as u8
    })
    .take(100_000)
    .collect();
    let sample = sample(&[text, noise]);
    let models = models(&sample).expect("models");
    assert_eq!(models.len(), 3);
    let [power9, power10, z15] = &models[..] else { panic!("three models") };
    assert_eq!(power9.size.uncompressed, sample.bytes);
    // The noise is stored in two blocks.
    assert!((100_010..101_000).contains(&power9.size.compressed), "{:?}", power9.size);
    assert_eq!((power9.size, power9.compress), (power10.size, power10.compress));
    assert!(z15.compress.all > power9.compress.all, "{z15:?}");
    assert!((power9.compress.setup + power9.compress.job - 2.2e-6).abs() < 1e-12, "{power9:?}");
    let published = Config::P9.decompress.shared.bandwidth();
    assert!((8.4e9..8.5e9).contains(&published) && power9.decompress.all <= published, "{power9:?}");
}

#[test]
fn an_empty_block_is_stored_too() {
    assert_eq!(store(&[]), [1, 0, 0, 0xff, 0xff]);
}
