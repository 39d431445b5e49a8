use super::*;

#[test]
fn months_end_with_leap_days_and_before_1970() {
    for (day, expected) in
        [("2024-02-01", "2024-02-29"), ("1900-02-28", "1900-02-28"), ("1969-12-31", "1969-12-31")]
    {
        let days = |text: &str| text.parse::<NaiveDate>().map(|date| date.to_epoch_days());
        let day = days(day).ok().and_then(last);
        assert_eq!(day, days(expected).ok(), "{expected}");
    }
    assert_eq!(last(i32::MAX), None);
}
