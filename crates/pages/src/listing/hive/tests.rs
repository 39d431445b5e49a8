use super::*;

fn read(paths: &[&str], rules: HiveRules) -> Result<HiveColumns, usize> {
    let files: Vec<_> = paths.iter().map(|path| partitions(path.split('/'), rules)).collect();
    HiveColumns::read(&files, rules)
}

fn column(paths: &[&str], rules: HiveRules) -> (HiveType, Vec<HiveValue>) {
    let found = read(paths, rules).expect("paths of the same columns");
    (found.columns[0].1, found.values.into_iter().flatten().collect())
}

fn text(text: &str) -> HiveValue {
    HiveValue::Text(text.to_owned())
}

#[test]
fn types_that_all_values_have() {
    let duckdb = |paths: &[&str]| column(paths, HiveRules::DuckDb);
    let integers = vec![HiveValue::Integer(7), HiveValue::Null];
    assert_eq!(duckdb(&["t/a=07/x", "t/a=__HIVE_DEFAULT_PARTITION__/x"]), (HiveType::Integer, integers));
    assert_eq!(duckdb(&["a=7/x", "a=b%2Fc/x"]), (HiveType::Text, vec![text("7"), text("b/c")]));
    assert_eq!(duckdb(&["a=2024-02-30/x"]), (HiveType::Text, vec![text("2024-02-30")]));
    assert_eq!(duckdb(&["a=/x"]), (HiveType::Text, vec![text("")]));
}

#[test]
fn rules_differ_in_numbers_dates_nulls_and_names() {
    let engine = |paths: &[&str]| column(paths, HiveRules::Engine);
    assert_eq!(engine(&["a=7/x", "a=-1/x"]).0, HiveType::Integer);
    assert_eq!(engine(&["a=07/x"]), (HiveType::Text, vec![text("07")]));
    assert_eq!(engine(&["a=2024-02-29/x"]).0, HiveType::Text);
    assert_eq!(column(&["a=2024-02-29/x"], HiveRules::DuckDb).0, HiveType::Date);
    let null = ["a=__HIVE_DEFAULT_PARTITION__/x"];
    assert_eq!(engine(&null), (HiveType::Integer, vec![HiveValue::Null]));
    assert_eq!(column(&null, HiveRules::DuckDb), (HiveType::Text, vec![HiveValue::Null]));
    let name = |rules| partitions(["a%20b=1"].into_iter(), rules).remove(0).0;
    assert_eq!((name(HiveRules::Engine), name(HiveRules::DuckDb)), ("a%20b".to_owned(), "a b".to_owned()));
}

/// Compares with days that are counted one by one.
#[test]
fn dates() {
    let mut expected = 0;
    for year in 1970..2110 {
        for (month, days) in [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].into_iter().enumerate() {
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let days = days + u32::from(month == 1 && is_leap);
            for day in 1..=days {
                let text = format!("{year:04}-{:02}-{day:02}", month + 1);
                assert_eq!(date(&text), Some(expected), "{text}");
                expected += 1;
            }
        }
    }
    assert_eq!(date("0000-03-01"), Some(-719_468));
    let none = ["2024-13-01", "2024-00-01", "2024-01-00", "2024-1-1", "+024-01-01x", "2023-02-29", "-"];
    let of_other_digits = ["2024-+1-01", "+024-01-01", "2024-01-+1", "02024-1-01", "2024-01-01-"];
    for text in none.into_iter().chain(of_other_digits) {
        assert_eq!(date(text), None, "{text}");
    }
}

#[test]
fn paths_of_unlike_columns() {
    assert_eq!(read(&["a=1/x", "b=1/x"], HiveRules::DuckDb).err(), Some(1));
}

#[test]
fn text_without_escapes_stays() {
    for (text, expected) in [
        ("New%20York", "New York"),
        ("5%+2", "5%+2"),
        ("5%-2", "5%-2"),
        ("% 2", "% 2"),
        ("100%", "100%"),
        ("%4", "%4"),
        ("%%41", "%A"),
        ("%c3%A9", "é"),
        ("%é", "%é"),
    ] {
        assert_eq!(unescape(text), expected, "{text}");
    }
}
