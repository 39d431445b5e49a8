use super::{human, size};

#[test]
fn sizes_are_read_as_they_are_written() {
    for bytes in [1, 1000, 4 << 10, 64 << 10, 1 << 20, 64 << 20] {
        assert_eq!(size(&human(bytes)), Ok(bytes));
    }
    for bad in ["", "K", "0", "-1", "65M", "4G", "99999999999999999999"] {
        assert!(size(bad).is_err(), "{bad}");
    }
}
