//! `s3://` places: moto's server, and a machine's role.

use std::collections::HashMap;

use super::delta::{FIELDS, add, protocol};
use super::moto::Moto;
use super::support::{Engine, parquet};

fn engine(moto: &Moto) -> Engine {
    let engine = Engine::new();
    let settings = HashMap::from([
        ("s3_endpoint", format!("http://127.0.0.1:{}", moto.port)),
        ("s3_region", "eu-west-1".to_owned()),
        ("s3_access_key_id", "key".to_owned()),
        ("s3_secret_access_key", "hush".to_owned()),
        ("http_retries", "1".to_owned()),
    ]);
    for (name, value) in settings {
        engine.text(&format!("SET {name} = '{value}'"));
    }
    engine
}

#[test]
fn files_folders_and_globs_are_read() {
    let Some(moto) = Moto::start() else { return };
    for (name, start) in
        [("year=2024/a.parquet", 0), ("year=2024/b b.parquet", 100), ("year=2025/a.parquet", 200)]
    {
        moto.send(
            "PUT",
            &format!("/bucket/t/{}", name.replace(' ', "%20").replace('=', "%3D")),
            &parquet(start, 100),
        );
    }
    let engine = engine(&moto);
    let text = |from: &str, columns: &str| engine.text(&format!("SELECT {columns} FROM '{from}' ORDER BY 1"));
    assert_eq!(text("s3://bucket/t/year=2024/b b.parquet", "count(*), min(x)"), ["100|100"]);
    assert_eq!(text("s3://bucket/t", "count(*), sum(x), min(year)"), ["300|44850|2024"]);
    assert_eq!(text("s3://bucket/t/", "count(*)"), ["300"]);
    assert_eq!(text("s3://bucket/t/*/a.parquet", "min(x), max(x)"), ["0|299"]);
    assert_eq!(text("s3://bucket/t/year=202?/a.parquet", "count(*)"), ["200"]);
    let pruned = engine.text("SELECT sum(x) FROM 's3://bucket/t' WHERE year = 2025");
    assert_eq!(pruned, ["24950"]);
}

#[test]
fn what_is_not_there_is_one_line() {
    let Some(moto) = Moto::start() else { return };
    let engine = engine(&moto);
    for (place, cause) in [
        ("s3://bucket/t.parquet", "no file"),
        ("s3://bucket/*.parquet", "no file matches"),
        ("s3://nobucket/t.parquet", "NoSuchBucket: The specified bucket does not exist"),
        ("s3://", "the bucket is missing"),
    ] {
        let error = engine.error(&format!("SELECT 1 FROM '{place}'"));
        assert!(error.starts_with(place) && !error.contains("hush") && !error.contains('\n'), "{error}");
        assert!(error.contains(cause), "{place}: {error}");
    }
}

#[test]
fn lakes_are_refused_by_name() {
    let Some(moto) = Moto::start() else { return };
    for (name, bytes) in [
        ("ice/data/a.parquet", parquet(0, 10)),
        ("ice/metadata/v1.metadata.json", b"{}".to_vec()),
        ("deep/delta/part.parquet", parquet(0, 10)),
        ("deep/delta/_delta_log/00000000000000000000.json", b"{}".to_vec()),
    ] {
        moto.send("PUT", &format!("/bucket/{name}"), &bytes);
    }
    let engine = engine(&moto);
    let error = engine.error("SELECT 1 FROM 's3://bucket/ice'");
    assert!(error.starts_with("s3://bucket/ice is an Iceberg table"), "{error}");
    for place in ["s3://bucket/deep", "s3://bucket/deep/*/*.parquet"] {
        let error = engine.error(&format!("SELECT 1 FROM '{place}'"));
        assert!(error.starts_with("s3://bucket/deep/delta is a Delta table"), "{place}: {error}");
    }
    assert_eq!(engine.text("SELECT count(*) FROM 's3://bucket/deep/delta/part.parquet'"), ["10"]);
}

#[test]
fn uploads_are_whole_or_leave_nothing() {
    let Some(moto) = Moto::start() else { return };
    let engine = engine(&moto);
    // three parts, the last one short
    let bytes: Vec<u8> = (0..40_u32 << 20).map(|index| (index >> 8) as u8).collect();
    let upload = |name: &str| {
        let address = format!("s3://bucket/{name}");
        let stores = engine.stores.clone();
        let bytes = &bytes;
        engine.runtime.block_on(async move {
            let mut upload = stores.create(&address).await.expect("a store");
            for piece in bytes.chunks(3 << 20) {
                upload.write(piece).await.expect("moto takes it");
            }
            upload
        })
    };
    let whole = upload("whole");
    assert_eq!(moto.keys(), [""; 0], "nothing is there before the end");
    assert_eq!(moto.pending(), ["whole"], "parts are sent while more are written");
    engine.runtime.block_on(whole.finish()).expect("moto completes it");
    let listed = moto.send("GET", "/bucket?list-type=2", b"");
    assert!(listed.contains("<Key>whole</Key>") && listed.contains("<Size>41943040</Size>"), "{listed}");

    engine.runtime.block_on(upload("given-up").abort()).expect("moto drops it");
    assert_eq!(moto.pending(), [""; 0]);

    let (address, stores) = ("s3://bucket/small", engine.stores.clone());
    engine.runtime.block_on(async move {
        let mut small = stores.create(address).await.expect("a store");
        small.write(b"few").await.expect("it is kept");
        small.finish().await.expect("moto takes it");
    });
    assert_eq!(moto.send("GET", "/bucket/small", b""), "few");

    let created = engine.runtime.block_on(engine.stores.create("https://localhost/x"));
    let error = created.expect_err("web servers are only read").to_string();
    assert!(error.contains("files are not written to web servers"), "{error}");
}

#[test]
fn delta_tables_are_read() {
    let Some(moto) = Moto::start() else { return };
    let (a, b) = (parquet(0, 100), parquet(100, 50));
    moto.send("PUT", "/bucket/lake/t/a%20a.parquet", &a);
    moto.send("PUT", "/bucket/lake/t/b.parquet", &b);
    let partition = r#""p":"2026-11-27""#;
    let log = protocol(FIELDS, "\"p\"", "") + &add("a%20a.parquet", partition, a.len(), 0, 100, "");
    moto.send("PUT", "/bucket/lake/t/_delta_log/00000000000000000000.json", log.as_bytes());
    let engine = engine(&moto);
    let counts = "SELECT count(*), max(x), max(p) FROM";
    assert_eq!(engine.text(&format!("{counts} 's3://bucket/lake/t'")), ["100|99|2026-11-27"]);
    let second = add("b.parquet", partition, b.len(), 100, 50, "");
    moto.send("PUT", "/bucket/lake/t/_delta_log/00000000000000000001.json", second.as_bytes());
    assert_eq!(engine.text(&format!("{counts} 's3://bucket/lake/t/'")), ["150|149|2026-11-27"]);
    assert_eq!(
        engine.text(&format!("{counts} delta_scan('s3://bucket/lake/t', version := 0)")),
        ["100|99|2026-11-27"]
    );
}

#[test]
fn copy_writes_files_and_folders() {
    let Some(moto) = Moto::start() else { return };
    let engine = engine(&moto);
    let rows = "SELECT x, x % 3 AS p, 'row ' || x AS s FROM generate_series(1, 1000) AS t(x)";
    let count = |sql: &str| assert_eq!(engine.text(sql), ["1000"], "{sql}");
    count(&format!("COPY ({rows}) TO 's3://bucket/one.parquet' (CODEC none)"));
    count(&format!("COPY ({rows}) TO 's3://bucket/one.csv'"));
    count(&format!("COPY ({rows}) TO 's3://bucket/one.parquet' (CODEC none)"));
    let sums = "SELECT count(*), sum(x), sum(p) FROM";
    for place in ["one.parquet", "one.csv"] {
        assert_eq!(engine.text(&format!("{sums} 's3://bucket/{place}'")), ["1000|500500|1000"]);
    }
    engine.text("CREATE TABLE t (x BIGINT, p BIGINT, s VARCHAR)");
    count("COPY t FROM 's3://bucket/one.csv'");
    assert_eq!(engine.text(&format!("{sums} t")), ["1000|500500|1000"]);

    let folder = "'s3://bucket/f' (FORMAT parquet, CODEC none, PARTITION_BY (p)";
    count(&format!("COPY ({rows}) TO {folder})"));
    let first = moto.keys();
    assert_eq!(first.iter().filter(|key| key.starts_with("f/p=")).count(), 3, "{first:?}");
    let error = engine.error(&format!("COPY ({rows}) TO {folder})"));
    assert!(error.starts_with("s3://bucket/f: the folder is not empty: add OVERWRITE"), "{error}");
    count(&format!("COPY ({rows}) TO {folder}, APPEND)"));
    assert_eq!(engine.text(&format!("{sums} 's3://bucket/f'")), ["2000|1001000|2000"]);
    assert_eq!(engine.text("SELECT count(*) FROM 's3://bucket/f' WHERE p = 1"), ["668"]);
    assert_eq!(engine.text("SELECT count(*) FROM glob('s3://bucket/f/*/*.parquet')"), ["6"]);
    count(&format!("COPY ({rows}) TO {folder}, OVERWRITE)"));
    assert_eq!(engine.text(&format!("{sums} 's3://bucket/f'")), ["1000|500500|1000"]);
    assert!(moto.keys().iter().all(|key| !first.contains(key) || !key.starts_with("f/")));
    moto.send("PUT", "/bucket/f/notes.txt", b"mine");
    let error = engine.error(&format!("COPY ({rows}) TO {folder}, OVERWRITE)"));
    assert!(error.contains("holds f/notes.txt"), "{error}");

    count(&format!("COPY ({rows}) TO 's3://bucket/threads/' (FORMAT csv, PER_THREAD_OUTPUT)"));
    assert_eq!(engine.text(&format!("{sums} 's3://bucket/threads/*.csv'")), ["1000|500500|1000"]);
    count(&format!(
        "COPY (SELECT x, 'a/b %' || (x % 2) AS p FROM ({rows})) TO 's3://bucket/odd' (FORMAT parquet, CODEC none, PARTITION_BY p)"
    ));
    assert_eq!(
        engine.text("SELECT p, count(*) FROM 's3://bucket/odd' GROUP BY p ORDER BY p"),
        ["a/b %0|500", "a/b %1|500"]
    );
    assert_eq!(moto.pending(), [""; 0], "nothing is pending");
}

#[test]
fn a_copy_that_fails_leaves_nothing() {
    let Some(moto) = Moto::start() else { return };
    let engine = engine(&moto);
    moto.send("PUT", "/bucket/old.parquet", &parquet(0, 7));
    // the last row fails when parts are sent already: 40 MB of text that no codec makes smaller
    let rows = "SELECT x, CASE WHEN x = 300000 THEN CAST('x' || x AS BIGINT) ELSE x % 2 END AS p, \
                md5(CAST(x AS VARCHAR)) || md5(CAST(-x AS VARCHAR)) || sha256(CAST(x AS VARCHAR)) AS s \
                FROM generate_series(1, 300000) AS t(x)";
    for target in [
        "'s3://bucket/old.parquet' (CODEC none)",
        "'s3://bucket/new.csv'",
        "'s3://bucket/f' (FORMAT csv, PARTITION_BY p)",
        "'s3://bucket/g/' (FORMAT parquet, CODEC none, PER_THREAD_OUTPUT)",
    ] {
        let error = engine.error(&format!("COPY ({rows}) TO {target}"));
        assert!(error.contains("x300000"), "{target}: {error}");
    }
    assert_eq!(moto.keys(), ["old.parquet"]);
    assert_eq!(engine.text("SELECT count(*) FROM 's3://bucket/old.parquet'"), ["7"]);
    assert_eq!(moto.pending(), [""; 0], "nothing is pending");
    for (place, cause) in [
        ("https://localhost/x.csv", "files are not written to web servers"),
        ("s3://nobucket/x.csv", "no such file or bucket"),
        ("s3://bucket", "add (FORMAT parquet)"),
        ("hdfs://h/x.csv", "hdfs:// is not supported"),
    ] {
        let error = engine.error(&format!("COPY (SELECT 1) TO '{place}'"));
        assert!(error.contains(place) && error.contains(cause) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn settings_are_of_one_session_and_secrets_hidden() {
    let engine = Engine::new();
    engine.text("SET s3_secret_access_key = 'hush'");
    engine.text("SET s3_region TO 'eu-north-1'");
    let branch = engine.branch();
    engine.text("RESET ALL");
    let shown = "SELECT name, value FROM pelton_settings() WHERE name IN ('s3_region', 's3_secret_access_key') \
                 ORDER BY name";
    assert_eq!(branch.text(shown), ["s3_region|eu-north-1", "s3_secret_access_key|(hidden)"]);
    assert_eq!(engine.text(shown), ["s3_region|the bucket's", "s3_secret_access_key|"]);
    assert_eq!(branch.text("SHOW s3_secret_access_key"), ["(hidden)"]);
    engine.text("CREATE SECRET (TYPE s3, KEY_ID 'me', SECRET 'hush', ENDPOINT 'http://127.0.0.1:9')");
    assert_eq!(
        engine.text("SELECT * FROM pelton_secrets()"),
        ["__default_s3|s3||s3_access_key_id, s3_endpoint, s3_secret_access_key"]
    );
    assert!(branch.text("SELECT * FROM pelton_secrets()").is_empty());
    for (sql, part) in [
        ("SET s3_url_style = 'hush'", "s3_url_style is one of path, vhost"),
        ("SET http_timeout = 0", "from 1 to 3600"),
        ("SET http_retries = 99", "from 0 to 20"),
        ("SET s3_endpoint = 'https://me:hush@h'", "no name and password"),
        ("SET http_bearer_token = 'hush'", "there is no setting http_bearer_token"),
        ("EXPLAIN CREATE SECRET (TYPE s3, SECRET 'hush')", "neither explained nor prepared"),
        ("EXPLAIN ANALYZE VERBOSE CREATE SECRET (TYPE s3, SECRET 'hush')", "neither explained nor prepared"),
        ("PREPARE p AS CREATE SECRET (TYPE s3, SECRET 'hush')", "neither explained nor prepared"),
        ("PREPARE p (INT) AS CREATE OR REPLACE SECRET k (hush", "neither explained nor prepared"),
        ("CREATE VIEW v AS CREATE SECRET (TYPE s3, SECRET 'hush')", "neither explained nor prepared"),
        ("CREATE SECRET (TYPE s3, USE_SSL hush)", "option USE_SSL is true or false"),
        ("CREATE SECRET (TYPE hush)", "the TYPE of a secret is one of"),
        ("CREATE SECRET (TYPE s3, hush)", "the option number 2 of a secret has no value"),
        ("CREATE SECRET (TYPE s3, hush 'a', hush 'b')", "the option number 3 of a secret is given twice"),
        ("CREATE SECRET (TYPE s3)", "there is a secret __default_s3"),
    ] {
        let error = engine.error(sql);
        assert!(error.contains(part), "{sql}: {error}");
        assert!(!error.contains("hush") || sql.contains("url_style"), "{sql}: {error}");
    }
}
