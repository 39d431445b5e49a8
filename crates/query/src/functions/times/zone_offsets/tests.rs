use super::*;

#[test]
fn summer_time_goes_on_after_the_tables_end() {
    let zone = |name: &str| name.parse::<Tz>().expect("a zone");
    let at = |year, month, day, hour| {
        let date = NaiveDate::from_ymd_opt(year, month, day).expect("a day");
        date.and_hms_opt(hour, 0, 0).expect("a time")
    };
    for (name, moment, hours) in [
        ("Europe/Berlin", at(2100, 7, 1, 12), 2),
        ("Europe/Berlin", at(2150, 1, 1, 0), 1),
        // the last Sunday of March
        ("Europe/Berlin", at(2150, 3, 29, 0), 1),
        ("Europe/Berlin", at(2150, 3, 29, 1), 2),
        ("Europe/Berlin", at(2150, 10, 25, 0), 2),
        ("Europe/Berlin", at(2150, 10, 25, 1), 1),
        ("Australia/Sydney", at(9999, 12, 31, 23), 11),
        ("Asia/Tokyo", at(2200, 7, 1, 0), 9),
        ("+02:00", at(2200, 7, 1, 0), 2),
    ] {
        let offset = at_instant(zone(name), moment);
        assert_eq!(offset.local_minus_utc(), hours * 3_600, "{name} {moment}");
    }
    let shown = when_shown(zone("Europe/Berlin"), at(2150, 7, 1, 12));
    assert_eq!(shown.local_minus_utc(), 7_200);
}
