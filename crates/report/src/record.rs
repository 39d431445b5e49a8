//! Record of a measurement: Markdown and further files in the folder of the day and the machine.

use std::fs;
use std::path::{Path, PathBuf};

use chrono::Utc;

use crate::machine::{Machine, load_average};

/// A record while it is filled.
pub struct Record {
    name: String,
    date: String,
    machine: Machine,
    /// The load average at the start, for a measurement on one core of a shared machine.
    load: Option<String>,
    /// The measured programs or packages, with their versions.
    subject: String,
    body: String,
}

/// A file of a record that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}", path = .path.display())]
pub struct WriteError {
    /// The file or folder.
    pub path: PathBuf,
    /// The reason.
    pub source: std::io::Error,
}

impl Record {
    /// Starts the record of a measurement on the whole machine. `subject` is a sentence about the
    /// measured programs.
    pub fn start(name: &str, subject: String) -> Self {
        Record {
            name: name.to_owned(),
            date: Utc::now().format("%Y-%m-%d %H:%M UTC").to_string(),
            machine: Machine::here(),
            load: None,
            subject,
            body: String::new(),
        }
    }

    /// Starts the record of a measurement of packages on one core, which other programs may
    /// disturb.
    pub fn start_on_one_core(name: &str, packages: &[&str]) -> Self {
        Record { load: Some(load_average()), ..Record::start(name, versions(packages) + ".") }
    }

    /// Returns the day and time of the start, in UTC.
    pub fn date(&self) -> &str {
        &self.date
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Appends Markdown, which ends with a line break.
    pub fn text(&mut self, markdown: &str) {
        self.body += markdown;
    }

    /// Appends a heading with the Markdown below it.
    pub fn section(&mut self, title: &str, markdown: &str) {
        self.body += &format!("## {title}\n\n{markdown}\n");
    }

    /// Appends the list of inputs that could not be measured, if there are any.
    pub fn skipped(&mut self, lines: &[String]) {
        if !lines.is_empty() {
            self.section("Skipped", &(lines.join("\n\n") + "\n"));
        }
    }

    /// Writes `<name>.md` and other files into `<records>/<day>-<processor>`; returns that folder.
    pub fn write(&self, records: &Path, others: &[(&str, String)]) -> Result<PathBuf, WriteError> {
        let day = self.date.split(' ').next().unwrap_or_default();
        let folder = records.join(format!("{day}-{}", self.machine.slug()));
        fs::create_dir_all(&folder).map_err(|source| WriteError { path: folder.clone(), source })?;
        let page = (format!("{}.md", self.name), self.markdown());
        let others = others.iter().map(|(name, text)| (name.to_string(), text.clone()));
        for (name, text) in std::iter::once(page).chain(others) {
            let path = folder.join(name);
            fs::write(&path, text).map_err(|source| WriteError { path, source })?;
        }
        Ok(folder)
    }

    fn markdown(&self) -> String {
        let Machine { cpu, cores, memory_bytes, kernel, system } = &self.machine;
        let facts = match &self.load {
            None => format!(
                "{cores} cores, {:.1} GB of memory, {system}, kernel {kernel}.",
                *memory_bytes as f64 / 1e9
            ),
            Some(at_start) => format!(
                "one core of {cores}. Load average at the start {at_start}, at the end {}: other programs shared \
                 the machine to that extent.",
                load_average()
            ),
        };
        format!(
            "# {}\n\n{}, on {cpu}, {facts}\n\n{}\n\n```\n{}\n```\n\n{}",
            self.name,
            self.date,
            self.subject,
            std::env::args().collect::<Vec<_>>().join(" "),
            self.body,
        )
    }
}

/// Returns the names of packages with the versions of the lock file.
fn versions(packages: &[&str]) -> String {
    let lock = include_str!("../../../Cargo.lock");
    let version = |name: &str| {
        let (_, package) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
        package.split('"').next()
    };
    let named = |name: &&str| format!("{name} {}", version(name).unwrap_or("of unknown version"));
    packages.iter().map(named).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
