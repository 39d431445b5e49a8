//! The lines of the file: as much of TOML (version 1.0) as flat settings need, which is a key and a
//! value a line.

/// What a line may be, for those who wrote something else.
pub const ACCEPTED: &str = "KEY = VALUE, where the value is a number, true, false or \"text\"";

/// What is set on a line.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    pub key: &'a str,
    /// What is in the quotes, or the number; 1 for true, 0 for false.
    pub value: &'a str,
}

/// The line's entry; none if it is blank or a comment.
///
/// # Errors
/// The line is neither, or has something that settings don't need: tables, lists, escapes.
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

/// The value that `text` begins with, and what comes after it.
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
