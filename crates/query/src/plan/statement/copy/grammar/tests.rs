use super::*;
use crate::plan::statement::tokens;

fn read(sql: &str) -> Copy {
    parse(sql, &tokens::of(sql)).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

fn text(text: &str) -> OptionValue {
    OptionValue::Text(text.to_owned())
}

fn list(all: &[&str]) -> OptionValue {
    OptionValue::List(all.iter().map(|one| (*one).to_owned()).collect())
}

fn options(sql: &str) -> Vec<(String, OptionValue)> {
    read(sql).options.into_iter().map(|option| (option.name, option.value)).collect()
}

fn named(options: &[(&str, OptionValue)]) -> Vec<(String, OptionValue)> {
    options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

#[test]
fn rows_are_those_of_queries_and_tables() {
    let of = |query: &str| Rows::Of(query.to_owned());
    for (sql, rows) in [
        ("COPY (SELECT 1) TO 'x.csv'", of("SELECT 1")),
        ("copy (\n-- é\n select (1) -- TO 'y'\n) to 'x.csv';", of("select (1)")),
        ("COPY FROM t TO 'x.csv'", of("FROM t")),
        ("COPY SELECT ' TO ' FROM t TO 'x.csv' (HEADER)", of("SELECT ' TO ' FROM t")),
        ("COPY t TO 'x.csv'", of("SELECT * FROM t")),
        ("COPY s.\"T\" (a, \"B c\") TO 'x.csv'", of("SELECT a, \"B c\" FROM s.\"T\"")),
        ("COPY 'a.parquet' TO 'x.csv'", of("SELECT * FROM 'a.parquet'")),
        ("COPY t (a, b) FROM 'x.csv'", Rows::Into("t (a, b)".to_owned())),
    ] {
        let copy = read(sql);
        assert_eq!((copy.rows, copy.place.as_str()), (rows, "x.csv"), "{sql}");
    }
    assert_eq!(read("COPY t TO STDOUT WITH CSV").place, "/dev/stdout");
}

#[test]
fn options_stand_in_parentheses_or_without() {
    let all = named(&[
        ("format", text("parquet")),
        ("partition_by", list(&["a", "B"])),
        ("level", OptionValue::Other("-3".to_owned())),
        ("overwrite", OptionValue::Absent),
    ]);
    for sql in [
        "COPY t TO 'x' (FORMAT parquet, PARTITION_BY (a, \"B\"), LEVEL -3, OVERWRITE)",
        "COPY t TO 'x' WITH (format 'parquet', partition_by = ['a', 'B'], level := -3, overwrite,)",
        "COPY t TO 'x' STORED AS parquet PARTITIONED BY (a, \"B\") OPTIONS (level -3, overwrite)",
    ] {
        assert_eq!(options(sql), all, "{sql}");
    }
    assert_eq!(
        options("COPY t TO 'x' WITH CSV HEADER DELIMITER AS '|' OVERWRITE NULL 'NA'"),
        named(&[
            ("format", text("csv")),
            ("header", OptionValue::Absent),
            ("delimiter", text("|")),
            ("overwrite", OptionValue::Absent),
            ("null", text("NA")),
        ])
    );
    assert_eq!(
        options("COPY t TO 'x' FORMAT csv, HEADER false, FORCE QUOTE *"),
        named(&[("format", text("csv")), ("header", text("false")), ("force_quote", text("*"))])
    );
    let order = &read("COPY t TO 'x' (ORDER_BY (a + 1 DESC, lower(b)), FORMAT csv)").options[0];
    assert_eq!(order.text, "a + 1 DESC, lower(b)");
}

#[test]
fn wrong_statements_say_how_they_are_written() {
    for (sql, part) in [
        ("COPY", "COPY needs a table or a query"),
        ("COPY t", "COPY needs a table or a query"),
        ("COPY t TO", "a place in single quotes"),
        ("COPY t TO x.csv", "a place in single quotes"),
        ("COPY t TO ''", "the place is empty"),
        ("COPY (SELECT 1 TO 'x'", "a parenthesis of COPY is not closed"),
        ("COPY (SELECT 1) FROM 'x'", "COPY FROM needs a table"),
        ("COPY SELECT 1", "COPY of a query needs TO 'place'"),
        ("COPY t TO 'x' (FORMAT", "a parenthesis of the options is not closed"),
        ("COPY t TO 'x' (1)", "this is no option"),
        ("COPY t TO 'x' (level 1 2)", "this is no value of option level"),
    ] {
        let error = parse(sql, &tokens::of(sql)).expect_err(sql).to_string();
        assert!(error.contains(part) && error.contains("write COPY"), "{sql}: {error}");
    }
}
