use super::*;

#[test]
fn messages_have_no_query_strings() {
    for (message, hidden) in [
        (
            "found: 'https://h/x?sig' at line 1, 'http://h/y?z'",
            "found: 'https://h/x?…' at line 1, 'http://h/y?…'",
        ),
        ("table https://h/x?sig is missing", "table https://h/x?… is missing"),
        ("https://h/x?…1 is missing? yes", "https://h/x?…1 is missing? yes"),
    ] {
        assert_eq!(without_queries(message), hidden);
    }
}
