//! Server with S3's interface on loopback: moto's, from PyPI.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running server of moto's, with a bucket; it ends when it is dropped.
pub struct Moto {
    process: Child,
    pub port: u16,
}

impl Moto {
    /// Starts a server. `None`, and a line that says so, where its package is not installed; in
    /// continuous integration (`CI=true`) that is a failure.
    pub fn start() -> Option<Self> {
        let python = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .find(|folder| folder.join("Cargo.lock").exists());
        let python = python.expect("the repository").join(".venv/bin/python");
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
    pub fn send(&self, method: &str, target: &str, body: &[u8]) -> String {
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

    /// Returns the keys of the bucket's files.
    pub fn keys(&self) -> Vec<String> {
        keys(&self.send("GET", "/bucket?list-type=2", b""))
    }

    /// Returns the keys of files of which the server has parts.
    pub fn pending(&self) -> Vec<String> {
        keys(&self.send("GET", "/bucket?uploads", b""))
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        // it may have ended by itself
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the keys in a document of a listing.
fn keys(document: &str) -> Vec<String> {
    let keys = document.split("<Key>").skip(1);
    keys.filter_map(|rest| rest.split_once("</Key>")).map(|(key, _)| key.to_owned()).collect()
}
