use super::*;
use crate::plan::statement::tokens;

fn parse(sql: &str) -> Result<Option<SecretStatement>> {
    super::parse(&tokens::of(sql))
}

fn options(pairs: &[(&str, &str)]) -> SecretOptions {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn secrets_are_created_and_dropped() {
    let created = parse("create or replace secret k (type S3, KEY_ID 'a', \"Secret\" 'b;c', retries 2);");
    let expected = SecretStatement::Create {
        name: Some("k".to_owned()),
        replaces: true,
        is_optional: false,
        options: options(&[("type", "S3"), ("KEY_ID", "a"), ("Secret", "b;c"), ("retries", "2")]),
    };
    assert!(created.is_ok_and(|created| created == Some(expected)));
    let unnamed = parse("CREATE TEMPORARY SECRET IF NOT EXISTS (TYPE gcs)");
    let expected = SecretStatement::Create {
        name: None,
        replaces: false,
        is_optional: true,
        options: options(&[("TYPE", "gcs")]),
    };
    assert!(unnamed.is_ok_and(|unnamed| unnamed == Some(expected)));
    let dropped = parse("DROP SECRET IF EXISTS k");
    let expected = SecretStatement::Drop { name: "k".to_owned(), is_optional: true };
    assert!(dropped.is_ok_and(|dropped| dropped == Some(expected)));
    assert!(parse("CREATE TABLE secret (x INT)").is_ok_and(|other| other.is_none()));
}

#[test]
fn messages_do_not_repeat_values() {
    for sql in [
        "CREATE SECRET k (TYPE s3, SECRET 'hush'",
        "CREATE SECRET k TYPE s3, SECRET 'hush'",
        "CREATE SECRET k (TYPE s3, SECRET 'hush') hush",
        "CREATE SECRET k (TYPE s3, SECRET 'hush', secret 'hush')",
        "CREATE SECRET k (TYPE s3, SECRET = 'hush')",
        "CREATE PERSISTENT SECRET k (TYPE s3, SECRET 'hush')",
        "DROP SECRET",
    ] {
        let error = parse(sql).expect_err(sql).to_string();
        assert!(!error.contains("hush"), "{sql}: {error}");
    }
}
