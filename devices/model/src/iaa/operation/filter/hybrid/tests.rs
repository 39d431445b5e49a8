use pelton_device_iaa::hw::AnalyticsError;

use super::Hybrid;

fn all(bytes: &[u8]) -> Result<Vec<u32>, AnalyticsError> {
    let mut hybrid = Hybrid::new(bytes)?;
    std::iter::from_fn(|| hybrid.next().transpose()).collect()
}

/// The example of Parquet's specification: 0 to 7 in 3 bits are 0x88 0xC6 0xFA. Header 3: one
/// group. Then a run of 5 times 6: header 10.
#[test]
fn packed_values_and_a_run() {
    let expected = [0, 1, 2, 3, 4, 5, 6, 7, 6, 6, 6, 6, 6];
    assert_eq!(all(&[3, 0x03, 0x88, 0xC6, 0xFA, 0x0A, 6]).unwrap(), expected);
}

/// 200 times 0x12345 in 17 bits: header 400 is 0x190, so 0x90 0x03; the value has three bytes.
#[test]
fn a_long_run() {
    assert_eq!(all(&[17, 0x90, 0x03, 0x45, 0x23, 0x01]).unwrap(), vec![0x1_2345; 200]);
}

/// Runs of nothing are passed over.
#[test]
fn empty_runs() {
    assert_eq!(all(&[8, 0x00, 7, 0x01, 0x02, 9]).unwrap(), [9]);
    assert_eq!(all(&[8]).unwrap(), []);
}

#[test]
fn damage() {
    let bad = Err(AnalyticsError::BadParquetRle);
    assert_eq!(all(&[]), bad);
    assert_eq!(all(&[0, 2, 0]), bad);
    assert_eq!(all(&[33]), Err(AnalyticsError::ParquetRleTooWide));
    // A value's, a header's and a group's end are missing; a header of five bytes.
    assert_eq!(all(&[9, 2, 0]), bad);
    assert_eq!(all(&[9, 0x80]), bad);
    assert_eq!(all(&[3, 0x03, 0x88, 0xC6]), bad);
    assert_eq!(all(&[8, 0x80, 0x80, 0x80, 0x80, 0x01, 5]), bad);
}
