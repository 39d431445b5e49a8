use datafusion::common::TableReference;

use super::*;

fn columns(names: &[&str]) -> Vec<Column> {
    let table = TableReference::bare("/data/long/path/trips.parquet");
    names.iter().map(|name| Column::new(Some(table.clone()), *name)).collect()
}

#[test]
fn a_missing_column_lists_columns_without_paths() {
    let valid = columns(&["id", "vendor", "Total"]);
    let of = |name: &str| missing_column(&Column::from_name(name), &valid);
    assert_eq!(of("vendr"), "there is no column vendr: did you mean vendor?");
    assert_eq!(
        of("total"),
        "there is no column total: did you mean \"Total\"? Names with capitals need double quotes"
    );
    assert_eq!(of("nocol"), "there is no column nocol: there are id, vendor, Total");
    let qualified = Column::new(Some("/data/trips.parquet"), "x");
    assert_eq!(
        missing_column(&qualified, &valid),
        "there is no column x in trips.parquet: there are id, vendor, Total"
    );
    assert_eq!(missing_column(&Column::from_name("x"), &[]), "there is no column x");
    let many: Vec<String> = (0..30).map(|number| format!("column{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(missing_column(&Column::from_name("x"), &columns(&many)).ends_with("column19 and 10 more"));
}

#[test]
fn missing_tables_and_functions_name_the_nearest() {
    let table = missing("table 'datafusion.public.tirps' not found").expect("known");
    assert_eq!(table, "there is no table tirps");
    let hinted = with_tables(&table, ["trips", "zones"]).expect("a hint");
    assert_eq!(hinted, "there is no table tirps: did you mean trips?");
    assert!(with_tables(&table, []).expect("a hint").contains("SHOW TABLES"));
    assert_eq!(with_tables(&hinted, ["trips"]), None);
    assert_eq!(
        missing("Invalid function 'lenght'. Did you mean 'length'?").as_deref(),
        Some("there is no function lenght: did you mean length?")
    );
    assert_eq!(
        missing("Invalid function 'xyzzy'. Did you mean 'floor'?").as_deref(),
        Some("there is no function xyzzy: SHOW FUNCTIONS lists them")
    );
    assert_eq!(missing("something else"), None);
}
