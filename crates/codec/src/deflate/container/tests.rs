use super::*;
use crate::{Decoder, Encoder, checksum, compress_bound};

const CONTAINERS: [Format; 3] = [Format::Deflate, Format::Zlib, Format::Gzip];

fn container(format: Format) -> Container {
    Container::of(format).expect("DEFLATE")
}

/// A raw stream in a container that is written here is one that the decoder reads, and says what
/// its window is.
#[test]
fn what_is_written_is_read() {
    let uncompressed = b"to be or not to be, to be or not to be".repeat(9);
    let mut raw = vec![0; compress_bound(Format::Deflate, uncompressed.len())];
    let level = Format::Deflate.default_level();
    let len =
        Encoder::new().compress(Format::Deflate, level, &uncompressed, &mut raw).expect("it fits").produced;
    for format in CONTAINERS {
        for log2 in 8..=15 {
            let it = container(format);
            let sum = it.checksum().map_or(0, |kind| checksum(kind, &uncompressed) as u32);
            let header = it.header(6, log2);
            let mut compressed = header.clone();
            compressed.extend_from_slice(&raw[..len]);
            compressed.extend(it.trailer(sum, uncompressed.len()));
            let mut back = vec![0; uncompressed.len()];
            let done = Decoder::new().decompress(format, &compressed, &mut back).expect("a block");
            assert_eq!((done.consumed, &back), (compressed.len(), &uncompressed), "{format}");
            assert_eq!(it.header_len(&compressed), Ok(header.len()), "{format}");
            assert_eq!(it.window(&header), (format != Format::Deflate).then_some(1 << log2), "{format}");
            assert_eq!(
                it.check_trailer(&compressed, header.len() + len, sum, uncompressed.len()),
                Ok(compressed.len())
            );
            if format != Format::Deflate {
                assert!(
                    it.check_trailer(&compressed, header.len() + len, sum ^ 1, uncompressed.len()).is_err()
                );
                assert!(
                    it.check_trailer(
                        &compressed[..compressed.len() - 1],
                        header.len() + len,
                        sum,
                        uncompressed.len()
                    )
                    .is_err()
                );
            }
        }
    }
}

#[test]
fn a_header_of_another_writer_has_no_mark() {
    let gzip = container(Format::Gzip);
    let uncompressed = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    assert_eq!(gzip.window(&uncompressed), None);
    // Another subfield, one that is cut short, and one with a window that is none.
    for extra in
        [&[6, 0, b'B', b'C', 2, 0, 1, 2][..], &[6, 0, b'P', b'W', 9, 0, 12, 0], &[5, 0, b'P', b'W', 1, 0, 77]]
    {
        let mut header = uncompressed.to_vec();
        header[3] = 4;
        header.extend_from_slice(extra);
        assert_eq!(gzip.header_len(&header), Ok(header.len()));
        assert_eq!(gzip.window(&header), None, "{extra:?}");
    }
}
