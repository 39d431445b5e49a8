use super::*;

fn parts(address: &str) -> (StoreKind, String, String) {
    let address = Address::parse(address).expect(address);
    (address.kind, address.key, address.path)
}

#[test]
fn addresses_have_a_store_and_a_path() {
    let owned = |kind, key: &str, path: &str| (kind, key.to_owned(), path.to_owned());
    assert_eq!(parts("s3://b/x y/*.parquet"), owned(StoreKind::S3, "s3://b", "x y/*.parquet"));
    assert_eq!(parts("gs://b"), owned(StoreKind::Gcs, "gs://b", ""));
    assert_eq!(parts("s3://b/what?.parquet"), owned(StoreKind::S3, "s3://b", "what?.parquet"));
    let azure = "https://a.blob.core.windows.net/c";
    assert_eq!(parts("az://a.blob.core.windows.net/c/d/e"), owned(StoreKind::Azure, azure, "d/e"));
    assert_eq!(
        parts("abfss://c@a.dfs.core.windows.net/d"),
        owned(StoreKind::Azure, "abfss://c@a.dfs.core.windows.net", "d")
    );
    assert_eq!(parts("https://h:8/a%20b?x=1"), owned(StoreKind::Http, "https://h:8?x=1", "a b"));
}

#[test]
fn addresses_without_a_store_are_refused() {
    for (address, part) in [
        ("hdfs://h/x", "hdfs:// is not supported; there are s3://"),
        ("s3:///x", "the bucket is missing"),
        ("https://", "empty host"),
    ] {
        let error = Address::parse(address).expect_err(address);
        assert!(error.contains(part), "{address}: {error}");
    }
    let error = Address::parse("https://me:hush@h/x").expect_err("a password");
    assert!(error.contains("CREATE SECRET") && !error.contains("hush"), "{error}");
}
