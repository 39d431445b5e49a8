//! Names of the files of a folder: `FILENAME_PATTERN`, as DuckDB has it.

use std::hash::{BuildHasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

/// Label of the number of a file.
const NUMBER: &str = "{i}";

/// Labels of identifiers, with the version of these.
const IDENTIFIERS: [(&str, u128); 3] = [("{uuid}", 4), ("{uuidv4}", 4), ("{uuidv7}", 7)];

/// Pattern of the names of files, without their ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileNames(String);

impl FileNames {
    /// Reads the text of the option. One without a label gets the number at its end.
    ///
    /// # Errors
    /// The names would be those of no files, or of files that readers of folders pass over.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let wrong = |what: &str| Err(format!("option filename_pattern is {pattern:?}, {what}"));
        if pattern.is_empty() {
            return wrong("which is no name; give one such as part_{i} or {uuid}");
        }
        if pattern.contains(['/', '\\']) || pattern.contains(char::is_control) {
            return wrong("and names are without folders; write the folder in the place");
        }
        if pattern.contains('*') {
            return wrong("and a name with * is a pattern where it is read; leave it out");
        }
        if pattern.starts_with(['.', '_']) {
            return wrong("and readers pass over files with . or _ in front; begin with another character");
        }
        if let Some(label) = unknown_label(pattern) {
            return wrong(&format!(
                "and {label} is no label; the labels are {{i}}, {{uuid}}, {{uuidv4}} and {{uuidv7}}"
            ));
        }
        let has_label = pattern.contains(NUMBER) || has_identifier(pattern);
        Ok(Self(if has_label { pattern.to_owned() } else { format!("{pattern}{NUMBER}") }))
    }

    /// Returns whether no two files ever have the same name, those of other statements included.
    pub fn are_unique(&self) -> bool {
        has_identifier(&self.0)
    }

    /// Returns the name of the file of a number.
    pub fn name(&self, number: usize) -> String {
        let mut name = self.0.replace(NUMBER, &number.to_string());
        for (label, version) in IDENTIFIERS {
            while name.contains(label) {
                name = name.replacen(label, &identifier(version), 1);
            }
        }
        name
    }
}

/// Returns the first part in braces that is no label, or that does not end.
fn unknown_label(pattern: &str) -> Option<&str> {
    let parts = pattern.match_indices('{').map(|(start, _)| {
        let part = &pattern[start..];
        part.find('}').map_or(part, |end| &part[..=end])
    });
    let is_label = |part: &&str| *part == NUMBER || IDENTIFIERS.iter().any(|(label, _)| label == part);
    parts.into_iter().find(|part| !is_label(part))
}

fn has_identifier(pattern: &str) -> bool {
    IDENTIFIERS.iter().any(|(label, _)| pattern.contains(label))
}

/// Returns a new UUID of a version: random bits, in version 7 with the time in front.
fn identifier(version: u128) -> String {
    // each state has keys of its own, which the system's random numbers began
    let random = || u128::from(RandomState::new().hash_one(version));
    let mut bits = random() << 64 | random();
    if version == 7 {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        bits = bits & (u128::MAX >> 48) | time << 80;
    }
    bits = bits & !(0xF << 76) | version << 76;
    bits = bits & !(0b11 << 62) | 0b10 << 62;
    let digits = format!("{bits:032x}");
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    parts.join("-")
}

#[cfg(test)]
mod tests;
