use super::shown;

#[test]
fn statements_are_shown_without_signatures() {
    for (sql, expected) in [
        ("SELECT 'a?b#c', x ? 1", "SELECT 'a?b#c', x ? 1"),
        (
            "FROM 'https://h/x?a=b c''d' t -- https://h/y?e f\nJOIN \"http://h/z#g\"",
            "FROM 'https://h/x?…' t -- https://h/y?… f\nJOIN \"http://h/z#…\"",
        ),
        (
            "FROM  read_parquet(['https://me:hush@h/x?y', 's3://b/?.parquet']) /* it''s */",
            "FROM  read_parquet(['https://h/x?…', 's3://b/?.parquet']) /* it''s */",
        ),
        ("SELECT E'\\n', 'it''s' FROM 'https://h/x?y'", "SELECT E'\\n', 'it''s' FROM 'https://h/x?…'"),
    ] {
        assert_eq!(shown(sql), expected);
    }
}
