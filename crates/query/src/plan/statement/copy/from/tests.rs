use super::insert;
use crate::plan::statement::copy::grammar::{Rows, parse};
use crate::plan::statement::tokens;

#[test]
fn rows_are_inserted() {
    let columns = ["a".to_owned(), "B c".to_owned()];
    for (sql, expected) in [
        ("COPY t FROM 'it''s.parquet'", "INSERT INTO t SELECT * FROM 'it''s.parquet'"),
        (
            "COPY t (a, \"B c\") FROM 'x.csv' WITH CSV HEADER DELIMITER ';'",
            "INSERT INTO t (a, \"B c\") SELECT * FROM read_csv('x.csv', header := true, delimiter := ';', \
             all_varchar := true)",
        ),
        (
            "COPY t FROM 'x.gz' (FORMAT csv, HEADER false, skip 2)",
            "INSERT INTO t SELECT * FROM read_csv('x.gz', header := false, skip := 2, all_varchar := true)",
        ),
        ("COPY t FROM 'x.json'", "INSERT INTO t SELECT \"a\", \"B c\" FROM read_json('x.json')"),
    ] {
        let copy = parse(sql, &tokens::of(sql)).expect(sql);
        let Rows::Into(table) = copy.rows else { panic!("{sql}") };
        assert_eq!(insert(&table, &columns, &copy.place, &copy.options).expect(sql), expected);
    }
}

#[test]
fn formats_that_are_not_read_are_refused() {
    for (place, part) in [("x.arrow", "write Parquet"), ("x", "names no format")] {
        let error = insert("t", &[], place, &[]).expect_err(place);
        assert!(error.contains(part), "{error}");
    }
}
