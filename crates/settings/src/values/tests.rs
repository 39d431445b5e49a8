use super::*;
use crate::definitions::{
    ANY_ORDER, MEMORY, SETTINGS, THREADS, TIMEZONE, VERIFY_CHECKSUMS, find, may_hold_secret,
};

static KEY: Definition = Definition {
    name: "test_key",
    aliases: &[],
    opposite: None,
    kind: Kind::Secret,
    default: "",
    description: "a key",
    option: None,
    in_python: false,
    duckdb: None,
};

#[test]
fn names_are_unique_ordered_and_found_in_any_case() {
    let names: Vec<&str> = SETTINGS.iter().map(|definition| definition.name).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    for definition in SETTINGS {
        assert_eq!(find(&definition.name.to_uppercase()), Ok((definition, false)));
        for alias in definition.aliases {
            assert!(!names.contains(alias), "{alias}");
            assert_eq!(find(alias), Ok((definition, false)));
        }
    }
    assert_eq!(find("preserve_insertion_order"), Ok((&ANY_ORDER, true)));
    let error = find("thread").expect_err("no setting").to_string();
    assert_eq!(error, "there is no setting thread: did you mean threads?");
    let error = find("search_path").expect_err("no setting").to_string();
    assert_eq!(error, "there is no setting search_path: pelton_settings() lists them");
}

#[test]
fn values_are_read_by_kind() {
    for (definition, text, shown) in [
        (&THREADS, "4", "4"),
        (&THREADS, " 4096 ", "4096"),
        (&MEMORY, "2GiB", "2GiB"),
        (&MEMORY, "1GB", "1000000000B"),
        (&MEMORY, "NONE", "none"),
        (&VERIFY_CHECKSUMS, "On", "true"),
        (&VERIFY_CHECKSUMS, "0", "false"),
        (&TIMEZONE, "Etc/UTC", "UTC"),
    ] {
        assert_eq!(definition.parse(text).map(|value| value.to_string()), Ok(shown.to_owned()), "{text}");
    }
}

#[test]
fn values_out_of_range_are_refused_by_name() {
    for (definition, text) in [
        (&THREADS, "0"),
        (&THREADS, "4097"),
        (&THREADS, "-1"),
        (&THREADS, "many"),
        (&MEMORY, "0"),
        (&MEMORY, "80%"),
        (&MEMORY, ""),
        (&VERIFY_CHECKSUMS, "2"),
        (&TIMEZONE, "Europe/Berlin"),
    ] {
        let error = definition.parse(text).expect_err(text).to_string();
        assert!(error.starts_with(definition.name), "{error}");
    }
}

#[test]
fn a_reset_returns_to_the_values_of_the_start() {
    let mut start = Settings::default();
    start.set(&THREADS, Value::Count(3));
    let mut settings = start.clone();
    settings.set(&THREADS, Value::Count(5));
    settings.set(&MEMORY, Value::Size(Some(1 << 30)));
    assert_eq!((settings.count(&THREADS), settings.size(&MEMORY)), (Some(5), Some(1 << 30)));
    settings.reset(&THREADS, &start);
    settings.reset(&MEMORY, &start);
    assert_eq!(settings, start);
    assert_eq!((settings.shown(&MEMORY), settings.shown(&THREADS)), ("none".to_owned(), "3".to_owned()));
}

#[test]
fn a_secret_is_never_shown() {
    let mut settings = Settings::default();
    assert_eq!(settings.shown(&KEY), "");
    settings.set(&KEY, KEY.parse("abc123").expect("a secret"));
    assert_eq!(settings.text(&KEY), Some("abc123"));
    let all = format!("{settings:?} {} {:?}", settings.shown(&KEY), KEY.parse("abc123"));
    assert!(!all.contains("abc123") && all.contains("(hidden)"), "{all}");
}

#[test]
fn statements_with_secrets_are_recognised() {
    for statement in [
        "SET s3_secret_access_key = 'abc'",
        "create Secret x (TYPE s3)",
        "FROM 'https://me:word@host/file.parquet'",
        "FROM 'https://host/file.parquet?sv=1&sig=abc'",
        "FROM 'https://host/f?X-Amz-Signature=abc'",
        "FROM 'http://host/f?x=abc'",
        "FROM 'http://host/f#abc'",
        "FROM 'az://container/f.csv?sig=abc'",
    ] {
        assert!(may_hold_secret(statement), "{statement}");
    }
    for statement in [
        "SELECT 1",
        "FROM 's3://bucket/a@b.parquet'",
        "FROM 's3://bucket/a?.parquet'",
        "FROM 's3://bucket/a?/year=2024/*.parquet'",
        "FROM 'https://host/x.parquet' WHERE s = 'y?'",
        "SET threads = 4",
        "SET s3_region = 'x'",
        "SELECT 'a@b', '://'",
    ] {
        assert!(!may_hold_secret(statement), "{statement}");
    }
}
