use super::shown;

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
