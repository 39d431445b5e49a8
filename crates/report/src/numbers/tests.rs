use std::time::Duration;

use super::{bytes, counted, grouped, median, ms, time};

#[test]
fn the_median_is_the_middle() {
    assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
    assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
    assert!(median(&[]).is_nan());
}

#[test]
fn milliseconds_keep_the_digits_that_matter() {
    assert_eq!((ms(9.96), ms(123.4)), ("10.0".to_owned(), "123".to_owned()));
}

#[test]
fn thousands_stand_apart() {
    let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (123_456, "123,456"), (6_001_215, "6,001,215")];
    for (count, text) in cases {
        assert_eq!(grouped(count), text);
    }
    assert_eq!(counted(1, "row"), "1 row");
    assert_eq!(counted(0, "row"), "0 rows");
}

#[test]
fn bytes_and_times_have_units_of_their_size() {
    assert_eq!(bytes(999), "999 B");
    assert_eq!(bytes(12_345), "12.3 kB");
    assert_eq!(bytes(2_000_000_000), "2.0 GB");
    assert_eq!(time(Duration::from_micros(1500)), "1.5 ms");
    assert_eq!(time(Duration::from_millis(1234)), "1.234 s");
}
