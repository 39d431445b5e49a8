//! Warnings and log records: lines on standard error, the only output of the library besides
//! statistics.

use std::ffi::c_int;

use log::{LevelFilter, Log, Metadata, Record};

use crate::process::keeping_errno;

/// Characters of a value that are shown.
const MAX_VALUE_LEN: usize = 80;

/// Writes `pelton zlib: LINE`. One call writes all of it, so that processes that share a terminal
/// don't mix their lines.
pub fn warn(line: &str) {
    write_all(libc::STDERR_FILENO, format!("pelton zlib: {line}\n").as_bytes());
}

/// Logger of the setting `log`. Each record is a line, as of a warning.
struct Lines;

impl Log for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("pelton")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let level = record.level().as_str().to_ascii_lowercase();
            keeping_errno(|| warn(&format!("{level}: {}", record.args())));
        }
    }

    fn flush(&self) {}
}

/// Writes log records up to `level` from now on.
pub fn log_from(level: LevelFilter) {
    if level != LevelFilter::Off && log::set_logger(&Lines).is_ok() {
        log::set_max_level(level);
    }
}

/// Returns a value in a form that can neither end the line nor control a terminal.
pub fn escaped(value: &str) -> String {
    let mut escaped = String::new();
    for character in value.chars().take(MAX_VALUE_LEN) {
        match character {
            '"' | '\'' | '\\' => escaped.push(character),
            _ => escaped.extend(character.escape_debug()),
        }
    }
    if value.chars().nth(MAX_VALUE_LEN).is_some() {
        escaped.push('…');
    }
    escaped
}

/// Writes all bytes, with one call unless the system accepts fewer. Errors are ignored: there is no
/// other channel to report them.
pub fn write_all(file: c_int, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: a buffer of that length.
        let written = unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(written) {
            Ok(0) => return,
            Ok(written) => bytes = &bytes[written..],
            Err(_) if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
