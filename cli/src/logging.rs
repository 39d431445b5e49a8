//! Log lines of `-v` on standard error.
//!
//! The crates below log to the `log` facade and print nothing themselves; a program that embeds the
//! engine installs a logger of its own choice.

use std::io::Write;
use std::sync::OnceLock;
use std::time::Instant;

use log::{LevelFilter, Log, Metadata, Record};

/// Writes each record as a line: the seconds since the start, its level and crate, and its text.
struct StandardError {
    start: Instant,
}

impl Log for StandardError {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        // Those of other libraries are written in terms that only their authors know.
        metadata.target().starts_with("pelton")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let source = record.target().split("::").next().unwrap_or_default();
            let line =
                line(self.start.elapsed().as_secs_f64(), record.level().as_str(), source, record.args());
            // A closed standard error is no reason to stop a query.
            let _ = std::io::stderr().lock().write_all(line.as_bytes());
        }
    }

    fn flush(&self) {}
}

/// Returns a record's line. Control characters, which text from files may contain, are escaped.
fn line(seconds: f64, level: &str, source: &str, text: &std::fmt::Arguments<'_>) -> String {
    let mut line = format!("[{seconds:8.3}s {level:5} {source}] ");
    for character in text.to_string().chars() {
        match character.is_control() {
            true => line.extend(character.escape_default()),
            false => line.push(character),
        }
    }
    line.push('\n');
    line
}

/// Installs the logger for `-v` (warnings and information) and `-vv` (and debugging). Without
/// either nothing is logged. A logger that the process has already stays.
pub fn install(verbosity: u8) {
    static LOGGER: OnceLock<StandardError> = OnceLock::new();
    let level = match verbosity {
        0 => return,
        1 => LevelFilter::Info,
        _ => LevelFilter::Debug,
    };
    let logger = LOGGER.get_or_init(|| StandardError { start: Instant::now() });
    if log::set_logger(logger).is_ok() {
        log::set_max_level(level);
    }
}

#[cfg(test)]
mod tests;
