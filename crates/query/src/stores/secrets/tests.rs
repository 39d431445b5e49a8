use pelton_settings::Settings;
use pelton_settings::stores::{S3_ACCESS_KEY_ID, S3_REGION, S3_SESSION_TOKEN};

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
    let secret = self::secret(&[("type", "http"), ("bearer_token", "hush"), ("scope", "https://h/ok")]);
    let secret = secret.expect("a secret");
    for (address, is_covered) in [
        ("https://h/ok/x", true),
        ("https://h/ok/a/../x", true),
        ("https://h/ok/../x", false),
        ("https://h/ok/%2e%2e/x", false),
        ("https://h/ok/..%2fx", true),
    ] {
        assert_eq!(secret.covers(address), is_covered, "{address}");
    }
}

#[test]
fn options_are_checked_and_values_stay_hidden() {
    for (options, part) in [
        (&[("key_id", "a")][..], "needs a TYPE"),
        (&[("type", "hush")], "the TYPE of a secret is one of s3, gcs, azure, http"),
        (
            &[("type", "s3"), ("account_key", "hush")],
            "option ACCOUNT_KEY is none of a secret of type s3; there are SCOPE, KEY_ID",
        ),
        (&[("type", "http"), ("bearer_token", "hush")], "needs a SCOPE"),
        (&[("type", "s3"), ("secret", "")], "option SECRET is empty"),
        (&[("type", "s3"), ("endpoint", "http://a:hush@h")], "no name and password"),
        (&[("type", "s3"), ("provider", "hush")], "PROVIDER of a secret is config or credential_chain"),
        (&[("type", "s3"), ("hush", "x")], "option number 2 is none of a secret of type s3; there are SCOPE"),
        (&[("type", "s3"), ("use_ssl", "hush")], "option USE_SSL is true or false"),
        (&[("type", "s3"), ("url_style", "hush")], "option URL_STYLE is one of path, vhost"),
        (&[("type", "s3"), ("retries", "hush")], "option RETRIES is a whole number from 0 to"),
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
    let mut settings = Settings::default();
    for (definition, value) in [(&S3_ACCESS_KEY_ID, "a"), (&S3_SESSION_TOKEN, "t"), (&S3_REGION, "r")] {
        settings.set(definition, definition.parse(value).expect("text"));
    }
    stores.configure(&settings);
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
    let branch = stores.branch();
    stores.configure(&Settings::default());
    assert_eq!(stores.values(StoreKind::S3, "s3://c/x"), Values::new());
    assert_eq!(branch.values(StoreKind::S3, "s3://c/x"), owned(&set));
}
