//! Warnings: lines on standard error, the only output of the library besides statistics.

use std::ffi::c_int;

/// Characters of a value that are shown.
const MAX_VALUE_LEN: usize = 80;

/// Writes `pelton zlib: LINE`. One call writes all of it, so that processes that share a terminal
/// don't mix their lines.
pub fn warn(line: &str) {
    write_all(libc::STDERR_FILENO, format!("pelton zlib: {line}\n").as_bytes());
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
