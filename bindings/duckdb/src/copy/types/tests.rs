use super::*;

#[test]
fn times_with_a_zone_become_utc() {
    let at = |hours: i64, offset_hours: i64| {
        ((hours * 3600 * SECONDS) as u64) << 24 | (MAX_OFFSET - offset_hours * 3600) as u64
    };
    assert_eq!(utc_time(at(12, 0)), 12 * 3600 * SECONDS);
    assert_eq!(utc_time(at(12, 2)), 10 * 3600 * SECONDS);
    assert_eq!(utc_time(at(1, 2)), 23 * 3600 * SECONDS);
    assert_eq!(utc_time(at(23, -2)), 3600 * SECONDS);
}

#[test]
fn an_interval_below_zero_is_refused() {
    let mut value = [0; 16];
    value[..4].copy_from_slice(&(-1i32).to_le_bytes());
    assert!(interval(value).unwrap_err().contains("-1 months"));
    assert_eq!(interval([0; 16]), Ok([0; 12]));
}
