//! One line on standard error, for who runs the program: the library has no other way to say
//! something.

use std::ffi::c_int;

/// More of a value than this is no help.
const MAX_VALUE_LEN: usize = 80;

/// Writes `pelton zlib: …`. In one piece, so that processes that share a terminal don't mix their
/// lines.
pub fn warn(line: &str) {
    write_all(libc::STDERR_FILENO, format!("pelton zlib: {line}\n").as_bytes());
}

/// A value as it is shown in a line: nothing in it can end the line or act on a terminal.
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

/// Writes all of it, with one call unless the system takes less. That it can't be written is
/// nobody's to know.
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
