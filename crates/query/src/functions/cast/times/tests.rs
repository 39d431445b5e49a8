use super::*;

#[test]
fn parts_of_intervals_that_are_zero_are_left_out() {
    let hour = 3_600 * i128::from(NANOSECONDS);
    for (months, days, nanoseconds, expected) in [
        (0, 0, 0, "00:00:00"),
        (14, -3, 4 * hour + 1_500_000, "1 year 2 months -3 days 04:00:00.0015"),
        (-26, 1, 0, "-2 years -2 months 1 day"),
        (0, 0, -100 * hour, "-100:00:00"),
    ] {
        assert_eq!(interval(months, days, nanoseconds), expected);
    }
}

#[test]
fn offsets_have_the_parts_that_they_need() {
    for (seconds, expected) in [(0, "+00"), (7_200, "+02"), (-12_600, "-03:30"), (3_208, "+00:53:28")] {
        let mut text = String::new();
        assert!(zone_offset(&mut text, seconds).is_ok());
        assert_eq!(text, expected);
    }
}
