use datafusion::sql::sqlparser::tokenizer::Tokenizer;

use super::bracket;
use crate::plan::sql::parse::PeltonDialect;

fn bracketed(sql: &str) -> String {
    let mut tokens = Tokenizer::new(&PeltonDialect, sql).tokenize_with_location().expect("tokens");
    bracket(&mut tokens);
    tokens.into_iter().map(|token| token.token.to_string()).collect()
}

#[test]
fn types_are_bracketed() {
    for (sql, expected) in [
        ("CREATE TABLE t (a STRUCT(b INT))", "CREATE TABLE t (a STRUCT<b INT>)"),
        ("SELECT x::STRUCT(b DECIMAL(9, 2))[]", "SELECT x::STRUCT<b DECIMAL(9, 2)>[]"),
        ("CAST(x AS struct (a struct(b INT)))", "CAST(x AS struct <a struct<b INT>>)"),
        ("x::MAP(VARCHAR, STRUCT(a INT))", "x::MAP(VARCHAR, STRUCT<a INT>)"),
    ] {
        assert_eq!(bracketed(sql), expected);
    }
}

#[test]
fn calls_stay() {
    for sql in ["SELECT struct(1, 2)", "SELECT a, struct(b), -struct(c)", "WHERE a = 1 AND struct(b) = c"] {
        assert_eq!(bracketed(sql), sql);
    }
}
