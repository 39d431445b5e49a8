use super::Table;

#[test]
fn a_name_is_folded_as_in_sql() {
    for (text, name, location) in [
        ("Trips=a.parquet", "trips", "a.parquet"),
        ("\"Trips\"=a.parquet", "Trips", "a.parquet"),
        ("t=year=2024/a.parquet", "t", "year=2024/a.parquet"),
    ] {
        let table: Table = text.parse().expect(text);
        assert_eq!((table.name.as_str(), table.location.as_str()), (name, location));
    }
}

#[test]
fn both_parts_are_needed() {
    for text in ["", "trips", "=a.parquet", "trips=", "\"\"=a"] {
        assert!(text.parse::<Table>().is_err(), "{text:?}");
    }
}
