use super::*;
use crate::{Encoder, Level, compress_bound};

#[test]
fn zeros_are_within_the_bound_and_not_far_from_it() {
    let plain = vec![0; 16 << 20];
    for format in Format::ALL {
        let mut packed = vec![0; compress_bound(format, plain.len())];
        let done = Encoder::new().compress(format, Level::default_of(format), &plain, &mut packed);
        let bound = decompress_bound(format, done.expect("there is room").produced);
        assert!(bound >= plain.len(), "{format}: {bound}");
        // One meta-block of Brotli gives all of them.
        assert!(format == Format::Brotli || bound < 8 * plain.len(), "{format}: {bound}");
    }
    assert_eq!(decompress_bound(Format::Zstd, usize::MAX), usize::MAX);
}
