use pelton_codec::Window;

use super::*;

/// Compresses random bytes that repeat after `distance`, with zeros between.
fn compressed(format: Format, distance: usize, window: Window) -> Vec<u8> {
    let random = crate::conformance::corpus::Shape::Random.bytes(300);
    let mut uncompressed = random.clone();
    uncompressed.resize(distance, 0);
    uncompressed.extend_from_slice(&random);
    let mut compressed = vec![0; pelton_codec::compress_bound(format, uncompressed.len())];
    let level = format.default_level();
    let done =
        pelton_codec::Encoder::new().compress_within(format, level, window, &uncompressed, &mut compressed);
    compressed.truncate(done.expect("there is room").produced);
    compressed
}

#[test]
fn a_match_is_found_at_its_distance() {
    for format in [Format::Deflate, Format::Zlib, Format::Gzip] {
        for distance in [300, 4096, 4097, 20_000, 32_000] {
            let found = farthest(format, &compressed(format, distance, Window::FULL));
            assert_eq!(found, Ok(distance as u32), "{format}");
        }
        let near = farthest(format, &compressed(format, 20_000, Window::SMALL));
        assert!(near.as_ref().is_ok_and(|near| *near <= 4096), "{near:?}");
    }
}

#[test]
fn malformed_deflate_is_an_error() {
    let whole = compressed(Format::Gzip, 5000, Window::FULL);
    // The trailer is not read.
    for end in 0..whole.len() - 8 {
        assert!(farthest(Format::Gzip, &whole[..end]).is_err(), "{end} of {}", whole.len());
    }
    assert!(farthest(Format::Zstd, &whole).is_err());
    assert!(farthest(Format::Deflate, &[0xff; 20]).is_err());
}
