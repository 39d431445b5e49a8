use super::*;

#[test]
fn a_window_is_a_power_of_two_that_deflate_has() {
    for (bytes, expected) in
        [(512, Window::of_bits(9)), (4096, Some(Window::SMALL)), (32_768, Some(Window::FULL))]
    {
        assert_eq!(window(Some(Size(bytes))).ok(), expected);
    }
    for bytes in [1, 256, 4000, 65_536, usize::MAX] {
        assert!(matches!(window(Some(Size(bytes))), Err(Failure::Usage(_))), "{bytes}");
    }
    assert_eq!(window(None), Ok(Window::FULL));
}

#[test]
fn options_that_a_codec_has_not_are_a_fault_of_usage() {
    let refused = |result| matches!(result, Err(Failure::Usage(_)));
    assert!(refused(Codec::Zstd.packing(Some(Size(4096)), None)));
    assert!(refused(Codec::Snappy.packing(None, Some(1))));
    assert!(refused(Codec::Gzip.packing(None, Some(13))));
    assert_eq!(Codec::Lz4Raw.packing(None, None), Ok(Packing::Lz4Raw));
}
