//! A process that answers statements.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::answer::Outcome;

/// Much longer than any query of small tables takes, kernels compiled for it included.
const PATIENCE: Duration = Duration::from_secs(90);

/// A running process.
pub struct Server {
    child: Child,
    input: ChildStdin,
    answers: Receiver<(String, Vec<u8>)>,
    /// Version of its tables.
    pub version: u64,
}

impl Server {
    /// Starts a program.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn start(program: &Path, arguments: &[String]) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let why = |e| io::Error::other(format!("cannot start {}: {e}", program.display()));
        let mut child = command.spawn().map_err(why)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("a process without pipes"));
        };
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(answer) = read(&mut output) {
                if send.send(answer).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, input, answers, version: 0 })
    }

    /// Forgets all tables.
    pub fn reset(&mut self) -> Outcome {
        self.ask(b"reset\n")
    }

    /// Gives a folder's files a name.
    pub fn table(&mut self, name: &str, folder: &str) -> Outcome {
        self.ask(format!("table {name} {folder}\n").as_bytes())
    }

    /// Runs a query.
    pub fn query(&mut self, sql: &str) -> Outcome {
        self.ask(format!("query {}\n{sql}", sql.len()).as_bytes())
    }

    fn ask(&mut self, request: &[u8]) -> Outcome {
        let written = self.input.write_all(request).and_then(|()| self.input.flush());
        match written.map(|()| self.answers.recv_timeout(PATIENCE)) {
            Ok(Ok((word, body))) => match word.as_str() {
                "rows" => Outcome::Rows(body),
                "panic" => Outcome::Panicked(String::from_utf8_lossy(&body).into_owned()),
                _ => Outcome::Refused(String::from_utf8_lossy(&body).into_owned()),
            },
            Ok(Err(RecvTimeoutError::Timeout)) => Outcome::Hung,
            Ok(Err(RecvTimeoutError::Disconnected)) | Err(_) => {
                let status = self.child.wait();
                Outcome::Died(status.map_or("of something".to_owned(), |status| status.to_string()))
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(output: &mut BufReader<ChildStdout>) -> io::Result<(String, Vec<u8>)> {
    let mut line = String::new();
    if output.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let (word, length) = line.trim_end().split_once(' ').unwrap_or_default();
    let mut body = vec![0; length.parse().map_err(io::Error::other)?];
    output.read_exact(&mut body)?;
    Ok((word.to_owned(), body))
}
