use super::*;

fn parse(sql: &str) -> Statement<'_> {
    Statement::parse(sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

#[test]
fn tables_are_cached_in_places() {
    let table = |name: &str| TableReference::parse_str(name);
    assert_eq!(parse("CACHE TABLE t IN host"), Statement::Cache(table("t"), CachePlace::Host));
    assert_eq!(
        parse(" cache\n table /* of all */ \"Big T\" in Gpu ; "),
        Statement::Cache(TableReference::bare("Big T"), CachePlace::Gpu)
    );
    assert_eq!(
        parse("CACHE TABLE 'a b/*.parquet' IN gpu"),
        Statement::Cache(TableReference::bare("a b/*.parquet"), CachePlace::Gpu)
    );
    assert_eq!(parse("UNCACHE TABLE s.t"), Statement::Uncache(table("s.t")));
}

#[test]
fn what_follows_explain_cuda_is_taken_as_it_is() {
    let text = "-- é😀\nEXPLAIN cuda -- é\n  SELECT 'it''s', \"é\" FROM t";
    assert_eq!(parse(text), Statement::Source("SELECT 'it''s', \"é\" FROM t"));
    assert_eq!(parse("EXPLAIN CUDA"), Statement::Source(""));
}

#[test]
fn what_does_not_go_on_says_how_it_should() {
    for (sql, part) in [
        ("CACHE TABLE t", "CACHE TABLE name IN host, or IN gpu"),
        ("CACHE TABLE t IN disk", "IN disk: a table is kept IN host or IN gpu"),
        ("CACHE TABLE t IN gpu now", "a table is kept IN host or IN gpu"),
        ("CACHE TABLE IN gpu", "a table's name is missing"),
        ("CACHE TABLE a b IN gpu", "this is no table's name"),
        ("CACHE TABLE a. IN gpu", "this is no table's name"),
        ("UNCACHE TABLE", "a table's name is missing"),
        ("UNCACHE TABLE 7", "7: this is no table's name"),
    ] {
        let error = Statement::parse(sql).expect_err(sql).to_string();
        assert!(error.contains(part), "{sql}: {error}");
    }
}
