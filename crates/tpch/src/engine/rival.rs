//! An engine in a process of its own, driven by lines of JSON.

use std::env;
use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::str::FromStr;

use crate::Error;
use crate::engine::protocol::{Answered, Identity, Reply, Request};
use crate::engine::system::System;

/// The worker for engines from Python, kept in the binary so that it runs from anywhere.
const WORKER: &str = include_str!("../../../../bench/rivals/worker.py");

/// An engine that can be run in a process of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contender {
    /// Pelton, in a `pelton-bench worker` process.
    Pelton,
    /// The same with other settings, as `pelton+memory=1GB+join_order=false`.
    PeltonWith(String),
    /// DataFusion as PyPI has it.
    DataFusion,
    /// DuckDB as PyPI has it.
    DuckDb,
    /// The same DuckDB, reading through Pelton's extension.
    DuckDbPelton,
}

/// Names of the engines, for error messages about other names.
const ENGINES: &str = "pelton, pelton+SETTING=VALUE, datafusion, duckdb or duckdb-pelton";

/// The environment variable that tells the worker where the extension is.
const EXTENSION_VARIABLE: &str = "PELTON_DUCKDB_EXTENSION";

impl Contender {
    fn key(&self) -> &str {
        match self {
            Contender::Pelton => "pelton",
            Contender::PeltonWith(text) => text,
            Contender::DataFusion => "datafusion",
            Contender::DuckDb => "duckdb",
            Contender::DuckDbPelton => "duckdb-pelton",
        }
    }

    fn command(&self) -> Result<Command, Error> {
        let failed = |reason| Error::Rival { name: self.key().into(), reason };
        if matches!(self, Contender::Pelton | Contender::PeltonWith(_)) {
            let program = env::current_exe().map_err(|e| failed(e.to_string()))?;
            let mut command = Command::new(program);
            command.arg("worker");
            return Ok(command);
        }
        let mut command = Command::new(python().ok_or_else(|| failed(NO_PYTHON.into()))?);
        command.args(["-c", WORKER]);
        if *self == Contender::DuckDbPelton {
            command.env(EXTENSION_VARIABLE, extension().ok_or_else(|| failed(NO_EXTENSION.into()))?);
        }
        Ok(command)
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

impl FromStr for Contender {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if let Some(settings) = text.strip_prefix("pelton+")
            && settings.split('+').all(|setting| setting.contains('='))
        {
            return Ok(Contender::PeltonWith(text.to_owned()));
        }
        let all = [Contender::Pelton, Contender::DataFusion, Contender::DuckDb, Contender::DuckDbPelton];
        all.into_iter()
            .find(|contender| contender.key() == text)
            .ok_or_else(|| Error::Argument(format!("engine {text:?}: use {ENGINES}")))
    }
}

const NO_PYTHON: &str = "no Python environment with it was found: run `make rivals` in Pelton's repository, or set \
     PELTON_PYTHON to an interpreter with bench/rivals/requirements.txt installed";

/// `$PELTON_PYTHON`, else the environment in the repository that this was built in.
fn python() -> Option<PathBuf> {
    if let Some(python) = env::var_os("PELTON_PYTHON") {
        return Some(python.into());
    }
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python");
    installed.exists().then_some(installed)
}

const NO_EXTENSION: &str = "there is no pelton.duckdb_extension beside this program: run `make duckdb` in Pelton's \
     repository, or set PELTON_DUCKDB_EXTENSION to it";

/// `$PELTON_DUCKDB_EXTENSION`, else the one that was built with this program.
fn extension() -> Option<PathBuf> {
    if let Some(extension) = env::var_os(EXTENSION_VARIABLE) {
        return Some(extension.into());
    }
    let built = env::current_exe().ok()?.with_file_name("pelton.duckdb_extension");
    built.exists().then_some(built)
}

/// A running process and the engine in it. Dropping it ends the process.
pub struct Rival {
    contender: Contender,
    identity: Identity,
    child: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl Rival {
    /// Starts the process and opens the Parquet files in `folder` with `threads` threads.
    pub fn open(contender: &Contender, folder: &Path, threads: usize) -> Result<Self, Error> {
        Self::start(contender, contender.command()?, folder, threads)
    }

    fn start(
        contender: &Contender,
        mut command: Command,
        folder: &Path,
        threads: usize,
    ) -> Result<Self, Error> {
        let failed = |reason: String| Error::Rival { name: contender.key().into(), reason };
        let program = command.get_program().to_string_lossy().into_owned();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| failed(format!("{program} did not start: {e}")))?;
        let (Some(requests), Some(replies)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(format!("{program} started without pipes")));
        };
        let replies = BufReader::new(replies);
        let identity = Identity { name: contender.key().into(), version: String::new() };
        let mut rival = Rival { contender: contender.clone(), identity, child, requests, replies };
        let open = Request::Open { engine: contender.key().into(), folder: folder.to_owned(), threads };
        match rival.ask(&open)? {
            Reply::Opened(identity) => rival.identity = identity,
            other => return Err(rival.unexpected(&other)),
        }
        Ok(rival)
    }

    fn ask(&mut self, request: &Request) -> Result<Reply, Error> {
        let reply = self.exchange(request).map_err(|e| self.failed(e.to_string()))?;
        match reply {
            None => {
                let status = self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
                Err(self.failed(format!("its process ended early ({status})")))
            }
            Some(Reply::Error(reason)) if reason.contains("No module named") => {
                Err(self.failed(format!("{reason}: {NO_PYTHON}")))
            }
            Some(Reply::Error(reason)) => Err(self.failed(reason)),
            Some(reply) => Ok(reply),
        }
    }

    /// Sends a request and reads the reply; None if the process has ended.
    fn exchange(&mut self, request: &Request) -> std::io::Result<Option<Reply>> {
        let mut line = serde_json::to_string(request)?;
        line.push('\n');
        // Writing to an ended process fails; the following read reports that.
        let sent = self.requests.write_all(line.as_bytes()).and_then(|()| self.requests.flush());
        let mut reply = String::new();
        if self.replies.read_line(&mut reply)? == 0 {
            return Ok(None);
        }
        sent?;
        Ok(Some(serde_json::from_str(&reply)?))
    }

    fn failed(&self, reason: String) -> Error {
        // Engines print some errors over several lines.
        let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        Error::Rival { name: self.contender.key().into(), reason }
    }

    fn unexpected(&self, reply: &Reply) -> Error {
        self.failed(format!("replied out of turn with {reply:?}"))
    }
}

impl System for Rival {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn query(&mut self, sql: &str, rows: bool) -> Result<Answered, Error> {
        match self.ask(&Request::Query { sql: sql.to_owned(), rows })? {
            Reply::Answered(answered) => Ok(answered),
            other => Err(self.unexpected(&other)),
        }
    }

    fn peak_memory(&mut self) -> Result<u64, Error> {
        match self.ask(&Request::Memory)? {
            Reply::Memory { peak_bytes } => Ok(peak_bytes),
            other => Err(self.unexpected(&other)),
        }
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        // It has nothing to save; if it is gone already there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests;
