//! Reading of the file of settings and of the environment over it.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::toml::{self, Entry};
use super::value::{Settings, Stats};
use crate::warn::escaped;

const FILE: &str = "/etc/pelton/zlib.toml";
/// Variable that names another file.
const FILE_VARIABLE: &str = "PELTON_ZLIB_CONFIG";
/// Variable of reproducible builds (reproducible-builds.org/specs/source-date-epoch).
const BUILD_VARIABLE: &str = "SOURCE_DATE_EPOCH";
/// The variables, with the keys of the file that they override.
const VARIABLES: [(&str, &str); 7] = [
    ("PELTON_ZLIB_THREADS", "threads"),
    ("PELTON_ZLIB_REPRODUCIBLE", "reproducible"),
    ("PELTON_ZLIB_STATS", "stats"),
    ("PELTON_ZLIB_DEVICES", "devices"),
    ("PELTON_ZLIB_ACCELERATE", "accelerate"),
    ("PELTON_ZLIB_INSTRUCTIONS", "instructions"),
    ("PELTON_ZLIB_LOG", "log"),
];
/// Largest accepted file in bytes.
const MAX_FILE_LEN: u64 = 64 << 10;

/// Returns the settings of this process, and a line for each mistake.
pub fn read() -> (Settings, Vec<String>) {
    // SAFETY: it reads a value that the kernel gave the process at its start.
    let privileged = unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
    if !privileged {
        return read_with(|name| std::env::var_os(name).filter(|value| !value.is_empty()));
    }
    // In a set-uid program the caller's environment is ignored, and no file is written.
    let (mut settings, warnings) = read_with(|_| None);
    if matches!(settings.stats, Stats::File(_)) {
        settings.stats = Stats::Off;
    }
    (settings, warnings)
}

/// Returns the settings with an environment.
pub fn read_with(variable: impl Fn(&str) -> Option<OsString>) -> (Settings, Vec<String>) {
    let (mut settings, mut warnings) = (Settings::default(), Vec::new());
    match variable(FILE_VARIABLE) {
        Some(path) => file(Path::new(&path), true, &mut settings, &mut warnings),
        None => file(Path::new(FILE), false, &mut settings, &mut warnings),
    }
    settings.reproducible |= variable(BUILD_VARIABLE).is_some();
    for (name, key) in VARIABLES {
        let Some(value) = variable(name) else { continue };
        let set = value.to_str().ok_or("text in UTF-8").and_then(|value| settings.set(key, value));
        if let Err(accepted) = set {
            let value = escaped(&value.to_string_lossy());
            warnings.push(format!("{name}={value} is ignored; accepted: {accepted}"));
        }
    }
    (settings, warnings)
}

/// Reads the file at `path`. A missing file is a mistake only if a variable names it.
fn file(path: &Path, named: bool, settings: &mut Settings, warnings: &mut Vec<String>) {
    let name = escaped(&path.to_string_lossy());
    let text = match text(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !named => return,
        Err(error) => return warnings.push(format!("{name} is ignored: {error}")),
    };
    let mut keys = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let set = toml::entry(line).and_then(|entry| match entry {
            Some(Entry { key, .. }) if keys.contains(&key) => Err("a key once"),
            Some(Entry { key, value }) => {
                keys.push(key);
                settings.set(key, value)
            }
            None => Ok(()),
        });
        if let Err(accepted) = set {
            warnings
                .push(format!("{name}:{number}: {} is ignored; accepted: {accepted}", escaped(line.trim())));
        }
    }
}

/// Returns the text of a file.
fn text(path: &Path) -> std::io::Result<String> {
    // Opening a pipe would wait for a writer.
    if !path.metadata()?.is_file() {
        return Err(std::io::Error::other("it is not a file"));
    }
    let mut text = String::new();
    let read = File::open(path)?.take(MAX_FILE_LEN + 1).read_to_string(&mut text)?;
    if read as u64 > MAX_FILE_LEN {
        return Err(std::io::Error::other("it is longer than 64 KB"));
    }
    Ok(text)
}
