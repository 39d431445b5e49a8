use super::*;

#[test]
fn query_strings_are_hidden_and_revealed() {
    let signatures = Signatures::default();
    for (name, hidden) in [
        ("https://h/x.parquet?sig=a%2Fb&x=1", "https://h/x.parquet?…1"),
        ("https://h/y.parquet?sig=a%2Fb&x=1", "https://h/y.parquet?…1"),
        ("http://h/x.parquet?sig=?", "http://h/x.parquet?…2"),
        (
            "read_parquet(['https://h/a?u', 'https://h/b', 'http://h/c?v'], filename := true)",
            "read_parquet(['https://h/a?…3', 'https://h/b', 'http://h/c?…4'], filename := true)",
        ),
        ("http://h/x.parquet#sig?a", "http://h/x.parquet?…5"),
    ] {
        assert_eq!(signatures.hide(name), hidden);
        assert_eq!(signatures.hide(hidden), hidden, "it is hidden once");
        assert_eq!(signatures.reveal(hidden), name);
    }
    for name in ["s3://b/x?.parquet", "https://h/x.parquet", "x?.parquet", "https://h/x.parquet?…99", "?…x"]
    {
        assert_eq!(signatures.hide(name), name);
        assert_eq!(signatures.reveal(name), name);
    }
    assert!(!format!("{signatures:?}").contains("sig"));
}

#[test]
fn old_query_strings_are_forgotten() {
    let signatures = Signatures::default();
    for number in 0..=MAX_KEPT {
        signatures.hide(&format!("https://h/x?{number}"));
    }
    assert_eq!(signatures.reveal("https://h/x?…1"), "https://h/x?…1");
    assert_eq!(signatures.reveal("https://h/x?…2"), "https://h/x?1");
    assert_eq!(signatures.kept.lock().by_number.len(), MAX_KEPT);
}
