use super::*;

fn secret(options: &[(&str, &str)]) -> Result<Secret> {
    let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Secret::new(None, &options)
}

#[test]
fn scopes_end_where_parts_of_paths_end() {
    let secret =
        secret(&[("type", "http"), ("bearer_token", "hush"), ("scope", "https://h")]).expect("a secret");
    for (address, is_covered) in [
        ("https://h/x", true),
        ("https://h", true),
        ("https://h.evil/x", false),
        ("https://h@evil/x", false),
        ("http://h/x", false),
    ] {
        assert_eq!(secret.covers(address), is_covered, "{address}");
    }
}

#[test]
fn options_are_checked_and_values_stay_hidden() {
    for (options, part) in [
        (&[("key_id", "a")][..], "needs a TYPE"),
        (&[("type", "ftp")], "TYPE ftp: there are s3, gcs, azure, http"),
        (&[("type", "s3"), ("account_key", "hush")], "has no option ACCOUNT_KEY; there are SCOPE, KEY_ID"),
        (&[("type", "http"), ("bearer_token", "hush")], "needs a SCOPE"),
        (&[("type", "s3"), ("secret", "")], "s3_secret_access_key: it is empty"),
        (&[("type", "s3"), ("secret", "hu\nsh")], "s3_secret_access_key: it has control characters"),
        (&[("type", "s3"), ("endpoint", "http://a:hush@h")], "no name and password"),
        (&[("type", "s3"), ("provider", "sso")], "PROVIDER sso"),
    ] {
        let error = secret(options).expect_err(part).to_string();
        assert!(error.contains(part) && !error.contains("hush"), "{error}");
    }
    let secret = secret(&[("type", "s3"), ("secret", "hush")]).expect("a secret");
    assert!(!format!("{secret:?}").contains("hush"));
}

#[test]
fn a_secret_replaces_credentials_as_a_whole() {
    let stores = Stores::default();
    for (name, value) in [("s3_access_key_id", "a"), ("s3_session_token", "t"), ("s3_region", "r")] {
        stores.configure(name, Some(value)).expect(name);
    }
    let own = secret(&[("type", "s3"), ("key_id", "b"), ("secret", "hush"), ("scope", "s3://b/")])
        .expect("a secret");
    stores.add_secret(own, false).expect("a new name");
    let expected = [("s3_access_key_id", "b"), ("s3_region", "r"), ("s3_secret_access_key", "hush")];
    let owned = |pairs: &[(&'static str, &str)]| -> Values {
        pairs.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
    };
    assert_eq!(stores.values(StoreKind::S3, "s3://b/x"), owned(&expected));
    let set = [("s3_access_key_id", "a"), ("s3_region", "r"), ("s3_session_token", "t")];
    assert_eq!(stores.values(StoreKind::S3, "s3://c/x"), owned(&set));
    assert_eq!(stores.values(StoreKind::Gcs, "gs://c/x"), Values::new());
    assert_eq!(stores.setting("s3_session_token").expect("a setting").as_deref(), Some("(hidden)"));
    assert_eq!(stores.setting("s3_region").expect("a setting").as_deref(), Some("r"));
}

#[test]
fn statements_with_credentials_are_told_by_their_text() {
    for (sql, expected) in [
        ("create or replace\nSECRET (type s3)", true),
        ("SET S3_secret_access_key = 'x'", true),
        ("SELECT 1 FROM 'https://h/x.parquet?sig=1'", true),
        ("SELECT 1 FROM 'https://h/x.parquet' WHERE s = 'y?'", false),
        ("SET s3_region = 'x'", false),
        ("SELECT secret FROM t", false),
    ] {
        assert_eq!(settings::may_hold_secret(sql), expected, "{sql}");
    }
}
