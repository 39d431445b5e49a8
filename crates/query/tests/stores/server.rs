//! A web server on loopback that sends files, well or badly.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Answers of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// As it should.
    Good,
    /// Refuses HEAD, as for an address that is signed for GET.
    NoHead,
    /// Sends whole files where parts are asked for.
    NoRanges,
    /// Waits before each answer, for less than the limit.
    Slow,
    /// Waits for longer than the limit.
    Stalled,
    /// Closes the connection in the middle of every second answer with a body.
    CutsSome,
    /// Closes the connection in the middle of every answer with a body.
    CutsAll,
    /// Answers every second request with an error that passes.
    FailsSome,
    /// Sends another entity tag with parts than for the file, whatever the condition.
    OtherTag,
    /// Announces a part, and sends a shorter one as if that were all of it.
    Short,
    /// Sends another part than was asked for.
    OtherRange,
    /// Sends the part that was asked for under a range that is not a number.
    OddRange,
    /// Redirects to itself.
    Redirects,
    /// Denies access with a document that repeats the request.
    Denies,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    /// Path with the query string.
    pub target: String,
    /// Names in small letters.
    pub headers: HashMap<String, String>,
}

struct Shared {
    manner: Manner,
    files: HashMap<String, Vec<u8>>,
    requests: Mutex<Vec<Request>>,
    answers: AtomicUsize,
    is_over: AtomicBool,
}

/// A running server; it ends when it is dropped.
pub struct Server {
    pub port: u16,
    shared: Arc<Shared>,
}

/// Longest time of a request in these tests, in seconds.
pub const TIMEOUT: u64 = 1;

impl Server {
    pub fn start(manner: Manner, files: &[(&str, &[u8])]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let files = files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
        let shared = Arc::new(Shared {
            manner,
            files,
            requests: Mutex::default(),
            answers: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        });
        let of_server = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if of_server.is_over.load(SeqCst) {
                    break;
                }
                let shared = of_server.clone();
                // an answer that is cut off is an error here, too
                thread::spawn(move || shared.serve(stream).ok());
            }
        });
        Self { port, shared }
    }

    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().expect("no panic").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, SeqCst);
        // wakes the thread that listens; without it, the thread ends with the process
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl Shared {
    fn serve(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut stream = stream;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let mut words = line.split_whitespace().map(str::to_owned);
            let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let mut headers = HashMap::new();
            loop {
                let mut line = String::new();
                reader.read_line(&mut line)?;
                let Some((name, value)) = line.trim().split_once(':') else { break };
                headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
            }
            let request = Request { method, target, headers };
            self.requests.lock().expect("no panic").push(request.clone());
            self.answer(&request, &mut stream)?;
        }
    }

    fn answer(&self, request: &Request, stream: &mut TcpStream) -> std::io::Result<()> {
        let path = request.target.split('?').next().unwrap_or_default();
        let number = self.answers.fetch_add(1, SeqCst);
        let is_head = request.method == "HEAD";
        let plain = |stream: &mut TcpStream, status: &str, body: &str| {
            let length = body.len();
            let body = if is_head { "" } else { body };
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}")
        };
        match self.manner {
            Manner::Slow => thread::sleep(Duration::from_millis(50)),
            Manner::Stalled => thread::sleep(Duration::from_millis(TIMEOUT * 1000 + 500)),
            Manner::FailsSome if number.is_multiple_of(2) => return plain(stream, "503 Slow Down", "later"),
            Manner::NoHead if is_head => return plain(stream, "403 Forbidden", "signed for GET"),
            Manner::Denies => {
                let document =
                    "<Error><Code>AccessDenied</Code><Message>No.</Message><Token>hush</Token></Error>";
                return plain(stream, "403 Forbidden", document);
            }
            Manner::Redirects => {
                return write!(stream, "HTTP/1.1 302 Found\r\nLocation: {path}\r\nContent-Length: 0\r\n\r\n");
            }
            _ => {}
        }
        let Some(bytes) = self.files.get(path) else { return plain(stream, "404 Not Found", "") };
        let mut head =
            String::from("Last-Modified: Mon, 02 Nov 2026 10:00:00 GMT\r\nAccept-Ranges: bytes\r\n");
        let range = request.headers.get("range").filter(|_| self.manner != Manner::NoRanges);
        let tag = if range.is_some() && self.manner == Manner::OtherTag { "other" } else { "one" };
        head += &format!("ETag: \"{tag}\"\r\n");
        let (mut status, mut body) = ("200 OK", bytes.as_slice());
        if let Some((start, end)) = range.and_then(|range| range.strip_prefix("bytes=")?.split_once('-')) {
            let start: usize = start.parse().expect("a number");
            let end = end.parse::<usize>().expect("a number").min(bytes.len() - 1);
            status = "206 Partial Content";
            body = &bytes[start..=end];
            let said = match self.manner {
                Manner::OtherRange => start + 1,
                _ => start,
            };
            let said = if self.manner == Manner::OddRange { "x".to_owned() } else { said.to_string() };
            head += &format!("Content-Range: bytes {said}-{end}/{}\r\n", bytes.len());
            if self.manner == Manner::Short {
                body = &body[..body.len() / 2];
            }
        }
        head += &format!("Content-Length: {}\r\n", body.len());
        write!(stream, "HTTP/1.1 {status}\r\n{head}\r\n")?;
        if is_head {
            return Ok(());
        }
        let is_cut = match self.manner {
            Manner::CutsAll => true,
            Manner::CutsSome => number.is_multiple_of(2),
            _ => false,
        };
        if is_cut {
            stream.write_all(&body[..body.len() / 2])?;
            stream.shutdown(std::net::Shutdown::Both)?;
            return Err(std::io::Error::other("cut off"));
        }
        stream.write_all(body)
    }
}
