use arrow::datatypes::{DataType, TimeUnit};

use super::Guess;

fn of(texts: &[&str]) -> DataType {
    texts.iter().map(|text| Guess::of(text)).fold(Guess::default(), Guess::and).data_type()
}

#[test]
fn the_narrowest_type_that_holds_all_texts_is_chosen() {
    let microseconds = |zone: Option<&str>| DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
    let cases: [(&[&str], DataType); 18] = [
        (&[], DataType::Utf8View),
        (&["1", "-2"], DataType::Int64),
        (&["1", "2.5"], DataType::Float64),
        (&["1e5", ".5", "5."], DataType::Float64),
        (&["NaN", "-inf"], DataType::Float64),
        (&["9223372036854775808", "1"], DataType::Decimal128(38, 0)),
        (&["007"], DataType::Utf8View),
        (&["0", "0.5"], DataType::Float64),
        (&["+2"], DataType::Utf8View),
        (&["true", "FALSE"], DataType::Boolean),
        (&["true", "1"], DataType::Utf8View),
        (&["2020-01-31"], DataType::Date32),
        (&["2020-02-31"], DataType::Utf8View),
        (&["2020-01-31", "2020-01-31 10:00:00.5"], microseconds(None)),
        (&["2020-01-31T10:00:00Z"], microseconds(Some("UTC"))),
        (&["10:00:00", "23:59:59.25"], DataType::Time64(TimeUnit::Microsecond)),
        (&["1", "x"], DataType::Utf8View),
        (&["2020-01-31", "1"], DataType::Utf8View),
    ];
    for (texts, expected) in cases {
        assert_eq!(of(texts), expected, "{texts:?}");
    }
}
