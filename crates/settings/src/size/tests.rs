use super::Size;

#[test]
fn sizes_are_read_in_both_systems() {
    for (text, bytes) in [
        ("512", 512),
        ("1b", 1),
        ("64KiB", 65_536),
        ("64 kib", 65_536),
        ("2GB", 2_000_000_000),
        ("2GiB", 2 << 30),
        ("1.5k", 1536),
        ("0.5MB", 500_000),
    ] {
        assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
    }
}

#[test]
fn what_is_no_size_is_refused() {
    for text in ["", "GB", "-1", "0", "0.1", "1XB", "1e3", "99999999999999TB", "1.2.3MB", "NaN"] {
        assert!(text.parse::<Size>().is_err(), "{text:?}");
    }
}

#[test]
fn a_size_prints_as_it_can_be_read() {
    for text in ["64KiB", "64MiB", "3GiB", "1000B"] {
        assert_eq!(text.parse::<Size>().expect(text).to_string(), text);
    }
}
