//! `s3://` places: moto's server, and a machine's role.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use super::delta::{FIELDS, add, protocol};
use super::support::{Engine, parquet, repository};

/// A running server of moto's; it ends when it is dropped.
struct Moto {
    process: Child,
    port: u16,
}

impl Moto {
    /// Starts a server. `None`, and a line that says so, where its package is not installed; in
    /// continuous integration (`CI=true`) that is a failure.
    fn start() -> Option<Self> {
        let python = repository().join(".venv/bin/python");
        let has_moto =
            Command::new(&python).args(["-c", "import moto.server"]).stderr(Stdio::null()).status();
        if !has_moto.is_ok_and(|status| status.success()) {
            let why = format!("{} has no moto; `make rivals` installs it", python.display());
            assert!(std::env::var("CI").as_deref() != Ok("true"), "{why}");
            eprintln!("skipped: {why}");
            return None;
        }
        let code = "from moto.server import create_backend_app, DomainDispatcherApplication\n\
                    from werkzeug.serving import make_server\n\
                    server = make_server('127.0.0.1', 0, DomainDispatcherApplication(create_backend_app), True)\n\
                    print(server.port, flush=True)\n\
                    server.serve_forever()\n";
        let mut process = Command::new(python)
            .args(["-c", code])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Python starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("a line with the port");
        let port =
            line.trim().parse().unwrap_or_else(|_| panic!("moto does not start: `make rivals` installs it"));
        let moto = Self { process, port };
        moto.send("PUT", "/bucket", b"");
        Some(moto)
    }

    /// Sends a request without a signature, which moto takes, and returns the answer's body.
    fn send(&self, method: &str, target: &str, body: &[u8]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("moto listens");
        let head = format!(
            "{method} {target} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\
             Authorization: AWS4-HMAC-SHA256 Credential=k/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=s\r\n\
             Content-Length: {}\r\n\r\n",
            self.port,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("moto listens");
        stream.write_all(body).expect("moto listens");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("moto answers");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
        assert!(head.starts_with("HTTP/1.1 20") || method == "GET", "{method} {target}: {head}");
        body.to_owned()
    }

    fn engine(&self) -> Engine {
        let engine = Engine::new();
        let settings = HashMap::from([
            ("s3_endpoint", format!("http://127.0.0.1:{}", self.port)),
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
}

impl Drop for Moto {
    fn drop(&mut self) {
        // it may have ended by itself
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
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
    let engine = moto.engine();
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
    let engine = moto.engine();
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
    let engine = moto.engine();
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
    let engine = moto.engine();
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
    let listed = || moto.send("GET", "/bucket?list-type=2", b"");
    let pending = || moto.send("GET", "/bucket?uploads", b"");
    let whole = upload("whole");
    assert!(!listed().contains("<Key>whole</Key>"), "nothing is there before the end");
    assert!(pending().contains("<Key>whole</Key>"), "parts are sent while more are written");
    engine.runtime.block_on(whole.finish()).expect("moto completes it");
    assert!(
        listed().contains("<Key>whole</Key>") && listed().contains("<Size>41943040</Size>"),
        "{}",
        listed()
    );

    engine.runtime.block_on(upload("given-up").abort()).expect("moto drops it");
    assert!(!pending().contains("<Key>"), "{}", pending());

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
    let engine = moto.engine();
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
