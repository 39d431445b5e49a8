//! Output to an object store: whole, or nothing after an error, Ctrl-C and `kill -9`.
#![cfg(target_os = "linux")]

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::moto::Moto;
use crate::support::{EndsWithTest, Place};

/// Rows with some 60 MB of text, several parts.
const ROWS: &str = "SELECT x, md5(CAST(x AS VARCHAR)) || md5(CAST(-x AS VARCHAR)) AS s \
                    FROM generate_series(1, 900000) AS t(x)";

/// Returns the command with the server's address in its environment.
fn command(place: &Place, moto: &Moto, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", moto.port));
    command
        .env("AWS_ACCESS_KEY_ID", "key")
        .env("AWS_SECRET_ACCESS_KEY", "hush")
        .env("AWS_REGION", "us-east-1");
    command
}

fn start(place: &Place, moto: &Moto, sql: &str) -> EndsWithTest {
    let command = &mut command(place, moto, &["sql", sql]);
    let child: Child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    EndsWithTest(child)
}

/// Waits until the server has a part of a file below a path.
fn wait_for_part(moto: &Moto, path: &str) {
    let started = Instant::now();
    while !moto.pending().iter().any(|key| key.starts_with(path)) {
        assert!(started.elapsed() < Duration::from_secs(120), "no part came");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn output_goes_to_a_store() {
    let Some(moto) = Moto::start() else { return };
    let place = Place::new();
    place.parquet("t.parquet", 100);
    let query = "SELECT id FROM 't.parquet'";
    for target in ["s3://bucket/o.csv", "s3://bucket/o.parquet"] {
        let run = command(&place, &moto, &["sql", query, "--output", target]).output().expect("it starts");
        assert_eq!((run.status.code(), String::from_utf8_lossy(&run.stderr).as_ref()), (Some(0), ""));
    }
    assert_eq!(moto.keys(), ["o.csv", "o.parquet"]);
    let count = "SELECT count(*) AS n FROM 's3://bucket/o.parquet'";
    let run = command(&place, &moto, &["sql", count, "--format", "csv"]).output().expect("it starts");
    assert_eq!(String::from_utf8_lossy(&run.stdout), "n\n100\n");
    for (target, cause) in
        [("s3://nobucket/o.csv", "no such file or bucket"), ("https://localhost/o.csv", "web servers")]
    {
        let run = command(&place, &moto, &["sql", query, "--output", target]).output().expect("it starts");
        let error = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(1), "{error}");
        assert!(error.contains(target) && error.contains(cause) && !error.contains("hush"), "{error}");
    }
    let repack = command(&place, &moto, &["repack", "t.parquet", "s3://bucket/r.parquet", "--codec", "zstd"]);
    let error = { repack }.output().expect("it starts");
    assert!(String::from_utf8_lossy(&error.stderr).contains("repack writes local files"));
    assert_eq!(place.files(), ["t.parquet"]);
}

#[test]
fn a_copy_that_is_interrupted_leaves_nothing() {
    let Some(moto) = Moto::start() else { return };
    let place = Place::new();
    let mut child = start(&place, &moto, &format!("COPY ({ROWS}) TO 's3://bucket/x.csv'"));
    wait_for_part(&moto, "x.csv");
    let killed = Command::new("kill").args(["-INT", &child.0.id().to_string()]).status();
    assert!(killed.expect("kill runs").success());
    let status = child.0.wait().expect("it ends");
    assert_eq!(status.code(), Some(130));
    assert_eq!(moto.keys(), [""; 0]);
    assert_eq!(moto.pending(), [""; 0], "its parts are dropped");
}

#[test]
fn a_copy_that_is_killed_leaves_no_file() {
    let Some(moto) = Moto::start() else { return };
    let place = Place::new();
    moto.send("PUT", "/bucket/old.csv", b"x,s\n");
    for (path, options) in [("old.csv", ""), ("f/", "(FORMAT csv, PER_THREAD_OUTPUT)")] {
        let child = start(&place, &moto, &format!("COPY ({ROWS}) TO 's3://bucket/{path}' {options}"));
        wait_for_part(&moto, path);
        drop(child);
        assert_eq!(moto.keys(), ["old.csv"], "{path}");
        assert_eq!(moto.send("GET", "/bucket/old.csv", b""), "x,s\n");
    }
}
