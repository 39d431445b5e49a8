//! Start of programs on either zlib, with a proof of the one that they used.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::folder::Folder;
use crate::server::Server;
use crate::{Zlib, common};

/// The statistics of our library in the program's processes.
const STATISTICS: &str = "statistics";

/// A program that is about to be started.
pub struct Program {
    command: Command,
    evidence: Evidence,
}

/// Records by the loader of the functions that it found for a program and its children: a file for
/// each process.
pub struct Evidence {
    zlib: Zlib,
    notes: PathBuf,
}

impl Program {
    /// `folder` is for these records, and the program's home.
    pub fn new(zlib: Zlib, folder: &Folder, program: impl AsRef<OsStr>) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let notes = folder.folder(&format!("notes-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
        let mut command = Command::new(program);
        command.stdin(Stdio::null()).env("HOME", folder.path()).env("LC_ALL", "C.UTF-8").env("TZ", "UTC");
        command.env("LD_DEBUG", "bindings").env("LD_DEBUG_OUTPUT", notes.join("process"));
        match zlib {
            Zlib::Ours => {
                command.env("LD_PRELOAD", common::ours()).env("PELTON_ZLIB_STATS", notes.join(STATISTICS))
            }
            Zlib::System => command.env_remove("LD_PRELOAD"),
        };
        Self { command, evidence: Evidence { zlib, notes } }
    }

    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    pub fn args(mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.command.args(arguments);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Sets the working folder.
    pub fn within(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Sets the input.
    pub fn stdin(mut self, file: impl AsRef<Path>) -> Self {
        self.command.stdin(fs::File::open(file).expect("a file to read"));
        self
    }

    /// Runs it to its end, which has to be successful and with a call of `function` in its zlib.
    /// Returns the output.
    pub fn run(self, function: &str) -> Output {
        let (output, evidence) = self.finish();
        evidence.assert(function);
        output
    }

    /// Runs it to its end, without a check of its calls.
    pub fn finish(mut self) -> (Output, Evidence) {
        let output = self.command.output().unwrap_or_else(|error| panic!("{:?}: {error}", self.command));
        assert!(
            output.status.success(),
            "{:?} on {:?} ended with {}\n{}\n{}",
            self.command,
            self.evidence.zlib,
            output.status,
            tail(&output.stdout),
            tail(&output.stderr)
        );
        (output, self.evidence)
    }

    /// Starts it. The test stops it by `signal`.
    pub fn start(self, signal: &'static str) -> (Server, Evidence) {
        (Server::start(self.command, signal), self.evidence)
    }
}

impl Evidence {
    /// Checks that a process found `function` in the right zlib, and that no process found any in
    /// the other.
    pub fn assert(&self, function: &str) {
        let ours = format!(" to {} [0]: normal symbol `", common::ours().display());
        let found = format!("`{function}'");
        let (mut wanted, mut other) = (0, 0);
        for file in fs::read_dir(&self.notes).expect("notes of the loader").flatten() {
            let notes = fs::read(file.path()).expect("notes of the loader");
            for line in String::from_utf8_lossy(&notes).lines() {
                let to_ours = line.contains(&ours);
                let to_system = line.contains("/libz.so.1 [0]: normal symbol `");
                let right = if self.zlib == Zlib::Ours { to_ours } else { to_system };
                wanted += usize::from(right && line.contains(&found));
                other += usize::from(!right && (to_ours || to_system));
            }
        }
        let (zlib, notes) = (self.zlib, self.notes.display());
        assert!(wanted > 0, "{function} was not taken from {zlib:?}: {notes}");
        assert_eq!(other, 0, "functions were taken from another zlib than {zlib:?}: {notes}");
    }

    /// Returns the statistics of our library for the program's processes.
    pub fn statistics(&self) -> String {
        fs::read_to_string(self.notes.join(STATISTICS)).expect("statistics at the end of a program")
    }

    /// Returns the bytes that our library counted as input of an operation, by its name in the
    /// table, over all paths.
    pub fn bytes(&self, operation: &str) -> u64 {
        let table = self.statistics();
        let lines = table.lines().filter(|line| line.trim_start().starts_with(operation));
        // The calls are before them, then bytes out, milliseconds and the speed.
        let bytes =
            lines.map(|line| line.split_whitespace().rev().nth(3).and_then(|word| word.parse::<u64>().ok()));
        bytes.map(|bytes| bytes.expect("a number of bytes")).sum()
    }
}

/// Returns the end of a program's output.
fn tail(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[text.len().saturating_sub(4000)..]).into_owned()
}
