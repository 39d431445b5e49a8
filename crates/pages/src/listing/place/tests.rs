use super::{LocalFiles, shown, shown_in};

#[test]
fn signatures_and_passwords_are_not_shown() {
    for (location, expected) in [
        ("https://me:hush@h/x.parquet?sig=hush", "https://h/x.parquet?…"),
        ("HTTPS://me:hush@h/x", "HTTPS://h/x"),
        ("https://h/x.parquet#hush", "https://h/x.parquet#…"),
        ("hdfs://me:hush@h/x?sig=hush", "hdfs://h/x?…"),
        ("s3://me:hush@bucket/x.parquet", "s3://bucket/x.parquet"),
        ("az://c/x.csv?sig=hush&se=1", "az://c/x.csv?…"),
        ("s3://bucket/da?a/year=2024/*.parquet", "s3://bucket/da?a/year=2024/*.parquet"),
        (
            "abfss://container@account.dfs.core.windows.net/x",
            "abfss://container@account.dfs.core.windows.net/x",
        ),
        ("data/a?b#c.parquet", "data/a?b#c.parquet"),
        ("file:///a?b=c", "file:///a?b=c"),
    ] {
        assert_eq!(shown(location), expected);
    }
}

#[test]
fn addresses_in_a_text_are_shown_as_they_are_alone() {
    for (text, expected) in [
        (
            "found: 'https://h/x?sig' at line 1, 'http://h/y#z'",
            "found: 'https://h/x?…' at line 1, 'http://h/y#…'",
        ),
        ("table HTTPS://me:hush@h/x?sig is missing", "table HTTPS://h/x?… is missing"),
        ("https://h/x?…1 is missing? yes", "https://h/x?…1 is missing? yes"),
        ("s3://b/a?.parquet, ://, a://", "s3://b/a?.parquet, ://, a://"),
        ("no address?", "no address?"),
    ] {
        assert_eq!(shown_in(text, |c| c == '\'' || c.is_whitespace()), expected);
    }
}

#[tokio::test]
async fn local_files_have_the_attributes_of_their_store() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(dir.path().join("a")).expect("a folder");
    std::fs::write(dir.path().join("a/x.parquet"), "12345").expect("a file");
    let place = dir.path().to_str().expect("UTF-8");
    let listed = super::super::list(place, &LocalFiles).await.expect("a file").remove(0);
    let alone =
        super::super::list(&format!("{place}/a/x.parquet"), &LocalFiles).await.expect("a file").remove(0);
    assert_eq!(listed.location.meta(), alone.location.meta());
    assert_eq!(listed.location.size(), 5);
}
