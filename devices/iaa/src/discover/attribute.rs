//! Reading one value of one file of sysfs, without trusting it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// No file of sysfs is larger: the system gives each a page.
const MOST_BYTES: u64 = 4096;

/// Of what was found, so much is shown.
const SHOWN_CHARS: usize = 60;

/// A file that does not contain what it should.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} contains {found}, not {expected}", path.display())]
pub struct BadFile {
    /// Which.
    pub path: PathBuf,
    /// Its contents, shortened, or the error on reading it.
    pub found: String,
    /// What was looked for.
    pub expected: &'static str,
}

/// A folder of attributes.
pub(super) struct Attributes {
    folder: PathBuf,
}

impl Attributes {
    pub fn of(folder: PathBuf) -> Attributes {
        Attributes { folder }
    }

    /// The text of a file, without the line's end. None if there is no such file, or the driver has
    /// no value for it: the files differ with the version of kernel and device.
    pub fn text(&self, name: &str) -> Result<Option<String>, BadFile> {
        let path = self.folder.join(name);
        match read(&path) {
            Ok(Some(text)) => Ok(Some(text.trim().to_owned())),
            Ok(None) => Err(BadFile { path, found: "other bytes".to_owned(), expected: "text" }),
            Err(error) if has_no_value(&error) => Ok(None),
            Err(error) => Err(BadFile { path, found: format!("nothing ({error})"), expected: "text" }),
        }
    }

    /// As [`text`](Attributes::text), where the file is always there.
    pub fn required(&self, name: &str, expected: &'static str) -> Result<String, BadFile> {
        self.text(name)?.ok_or_else(|| BadFile {
            path: self.folder.join(name),
            found: "nothing (there is no such file)".to_owned(),
            expected,
        })
    }

    /// A whole number of this size.
    pub fn number<T: TryFrom<i64>>(&self, name: &str) -> Result<Option<T>, BadFile> {
        let number = |text: &str| text.parse::<i64>().ok().and_then(|number| T::try_from(number).ok());
        self.parsed(name, "a number", number)
    }

    /// A number that is -1 where there is none.
    pub fn number_or_none(&self, name: &str) -> Result<Option<u32>, BadFile> {
        self.number::<i64>(name)?
            .filter(|&number| number != -1)
            .map(|number| {
                u32::try_from(number).map_err(|_| self.bad(name, &number.to_string(), "a number or -1"))
            })
            .transpose()
    }

    /// 0 or 1.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, BadFile> {
        self.parsed(name, "0 or 1", |text| match text {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        })
    }

    /// A register: `0x` and hexadecimal digits.
    pub fn register(&self, name: &str) -> Result<Option<u64>, BadFile> {
        self.parsed(name, "a hexadecimal number", hexadecimal)
    }

    /// 256 bits, word 0 holding bits 0 to 63. The kernel writes them as hexadecimal numbers of 32
    /// bits, the most significant first, with commas (`%*pb`); before 6.0 as four numbers of 64
    /// bits, the least significant first.
    pub fn bits(&self, name: &str) -> Result<Option<[u64; 4]>, BadFile> {
        self.parsed(name, "256 bits in hexadecimal", |text| match text.contains("0x") {
            true => old_bits(text),
            false => bitmap(text),
        })
    }

    /// The error that a file's contents are.
    pub fn bad(&self, name: &str, found: &str, expected: &'static str) -> BadFile {
        let shown: String = found.chars().take(SHOWN_CHARS).collect();
        BadFile { path: self.folder.join(name), found: format!("{shown:?}"), expected }
    }

    fn parsed<T>(
        &self,
        name: &str,
        expected: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, BadFile> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        parse(&text).map(Some).ok_or_else(|| self.bad(name, &text, expected))
    }
}

/// The file's text; none if it is not UTF-8.
fn read(path: &Path) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes).ok())
}

/// Whether an error says that the driver has no value here.
fn has_no_value(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENXIO))
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

fn bitmap(text: &str) -> Option<[u64; 4]> {
    let mut words = [0; 4];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 2 * words.len() {
        return None;
    }
    for (index, part) in parts.iter().rev().enumerate() {
        let half = u32::from_str_radix(part, 16).ok()?;
        words[index / 2] |= u64::from(half) << (index % 2 * 32);
    }
    Some(words)
}

fn old_bits(text: &str) -> Option<[u64; 4]> {
    let words: Option<Vec<u64>> = text.split_whitespace().map(hexadecimal).collect();
    words?.try_into().ok()
}
