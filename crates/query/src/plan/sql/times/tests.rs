use super::in_units;

#[test]
fn times_of_day_get_units() {
    for (text, expected) in [
        ("03:04:05", Some("03 hours 04 minutes 05.0 seconds")),
        ("1 month  2 days 3:04", Some("1 month 2 days 3 hours 04 minutes 0.0 seconds")),
        ("-1 day +100:00:00.25", Some("-1 day 100 hours 00 minutes 00.25 seconds")),
        ("1 day -02:30:05", Some("1 day -02 hours -30 minutes -05.0 seconds")),
        ("1 day", None),
        ("1 02:00:00", None),
        ("02:60:00", None),
        ("02:00:00:00", None),
    ] {
        assert_eq!(in_units(text).as_deref(), expected, "{text}");
    }
}
