use pelton_device_iaa::hw::AnalyticsError;

use super::Hybrid;

fn all(bytes: &[u8]) -> Result<Vec<u32>, AnalyticsError> {
    let mut hybrid = Hybrid::new(bytes)?;
    std::iter::from_fn(|| hybrid.next().transpose()).collect()
}

/// The example of Parquet's specification, one packed group, then a run.
#[test]
fn packed_values_and_a_run() {
    let expected = [0, 1, 2, 3, 4, 5, 6, 7, 6, 6, 6, 6, 6];
    assert_eq!(all(&[3, 0x03, 0x88, 0xC6, 0xFA, 0x0A, 6]).unwrap(), expected);
}

/// A run with a header of two bytes and a value of three bytes.
#[test]
fn a_long_run() {
    assert_eq!(all(&[17, 0x90, 0x03, 0x45, 0x23, 0x01]).unwrap(), vec![0x1_2345; 200]);
}

/// Empty runs are skipped.
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
    // Values, headers and groups without their end; a header of five bytes.
    assert_eq!(all(&[9, 2, 0]), bad);
    assert_eq!(all(&[9, 0x80]), bad);
    assert_eq!(all(&[3, 0x03, 0x88, 0xC6]), bad);
    assert_eq!(all(&[8, 0x80, 0x80, 0x80, 0x80, 0x01, 5]), bad);
}
