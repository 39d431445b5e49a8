//! A record of a measurement, as Markdown in the folder of the day and the machine, beside those of
//! `pelton-bench`.

use std::fs;
use std::path::{Path, PathBuf};

use chrono::Utc;

/// A record that is being made.
pub struct Record {
    name: &'static str,
    date: String,
    load: String,
    versions: String,
    sections: String,
}

impl Record {
    /// A record that starts now, of something in these versions.
    pub fn start(name: &'static str, versions: String) -> Self {
        let date = Utc::now().format("%Y-%m-%d %H:%M UTC").to_string();
        Record { name, date, load: load(), versions, sections: String::new() }
    }

    /// Adds a heading with what belongs below it.
    pub fn section(&mut self, title: &str, text: &str) {
        self.sections += &format!("## {title}\n\n{text}\n");
    }

    /// Adds what could not be measured.
    pub fn skipped(&mut self, lines: &[String]) {
        if !lines.is_empty() {
            self.section("Skipped", &(lines.join("\n\n") + "\n"));
        }
    }

    /// Writes `<name>.md` and other files into `<records>/<day>-<processor>`; returns that folder.
    pub fn write(&self, records: &Path, others: &[(&str, String)]) -> Result<PathBuf, String> {
        let day = self.date.split(' ').next().unwrap_or_default();
        let folder = records.join(format!("{day}-{}", slug(&processor())));
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        fs::create_dir_all(&folder).map_err(failed)?;
        fs::write(folder.join(format!("{}.md", self.name)), self.markdown()).map_err(failed)?;
        for (name, text) in others {
            fs::write(folder.join(name), text).map_err(failed)?;
        }
        Ok(folder)
    }

    fn markdown(&self) -> String {
        let command: Vec<String> = std::env::args().collect();
        format!(
            "# {}\n\n{}, on {}, one core of {}. Load average at the start {}, at the end {}: what it had to share \
             the machine with.\n\n{}.\n\n```\n{}\n```\n\n{}",
            self.name,
            self.date,
            processor(),
            fs::read_to_string("/proc/cpuinfo").map_or(0, |text| text.matches("processor\t").count()),
            self.load,
            load(),
            self.versions,
            command.join(" "),
            self.sections,
        )
    }
}

/// Packages in the versions that they were built from.
pub fn versions(packages: &[&str]) -> String {
    let lock = include_str!("../../../Cargo.lock");
    let version = |name: &str| {
        let (_, package) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
        package.split('"').next()
    };
    let named = |name: &&str| format!("{name} {}", version(name).unwrap_or("of unknown version"));
    packages.iter().map(named).collect::<Vec<_>>().join(", ")
}

/// The processor's model, where Linux tells.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    model.map_or_else(|| "unknown".to_owned(), |(_, name)| name.trim().to_owned())
}

/// A processor's name in a folder's, as `pelton-bench` has it.
fn slug(processor: &str) -> String {
    let words = processor.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

/// How many threads wanted to run in the last minute.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Record, slug, versions};

    #[test]
    fn a_record_lies_in_the_folder_of_its_day_and_machine() {
        let records = tempfile::tempdir().unwrap();
        let mut record = Record::start("deflate-coder", versions(&["zlib-rs"]));
        record.skipped(&["orders: skipped, no file".to_owned()]);
        record.section("Gain", "| a | b |");
        let folder = record.write(records.path(), &[("front.svg", "<svg/>".to_owned())]).unwrap();
        assert!(folder.file_name().unwrap().to_str().unwrap().starts_with("20"));
        let text = std::fs::read_to_string(folder.join("deflate-coder.md")).unwrap();
        assert!(text.contains("orders: skipped, no file") && text.contains("## Gain"), "{text}");
        assert_eq!(std::fs::read_to_string(folder.join("front.svg")).unwrap(), "<svg/>");
    }

    #[test]
    fn names() {
        assert_eq!(slug("AMD EPYC(tm) 9755"), "amd-epyc-tm-9755");
        assert!(versions(&["libz-sys"]).starts_with("libz-sys 1."), "{}", versions(&["libz-sys"]));
        assert!(versions(&["no-such-package"]).contains("unknown"));
    }
}
