//! Lines of the file of settings: the flat part of TOML 1.0, a key and a value in each line:
//!
//! ```toml
//! threads = 4  # a comment
//! ```

/// The accepted form of a line, for a warning.
pub const ACCEPTED: &str = "KEY = VALUE, where the value is a number, true, false or \"text\"";

/// The entry of a line.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    pub key: &'a str,
    /// The text between quotes, or the number; 1 for true, 0 for false.
    pub value: &'a str,
}

/// Parses a line; `None` if it is blank or a comment.
///
/// # Errors
/// Any other line, and parts of TOML that settings don't use: tables, lists, escapes.
pub fn entry(line: &str) -> Result<Option<Entry<'_>>, &'static str> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let (key, rest) = line.split_once('=').ok_or(ACCEPTED)?;
    let key = key.trim();
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if key.is_empty() || !key.bytes().all(bare) {
        return Err(ACCEPTED);
    }
    let (value, after) = value(rest.trim_start()).ok_or(ACCEPTED)?;
    let after = after.trim_start();
    if after.is_empty() || after.starts_with('#') { Ok(Some(Entry { key, value })) } else { Err(ACCEPTED) }
}

/// Splits `text` into its first value and the rest.
fn value(text: &str) -> Option<(&str, &str)> {
    if let Some(text) = text.strip_prefix('\'') {
        return text.split_once('\'');
    }
    if let Some(text) = text.strip_prefix('"') {
        return text.split_once('"').filter(|(inside, _)| !inside.contains('\\'));
    }
    let (word, after) = text.split_at(text.find([' ', '\t', '#']).unwrap_or(text.len()));
    match word {
        "true" => Some(("1", after)),
        "false" => Some(("0", after)),
        _ => word.parse::<i64>().ok().map(|_| (word, after)),
    }
}
