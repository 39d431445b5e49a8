//! Files to compress: ten kinds, taken from Debian's packages, Cargo's sources and this system, or
//! made.

use std::fs;
use std::path::{Path, PathBuf};

use crate::data::{Kind, collect, crates, home};

/// A file in memory.
pub struct Input {
    /// Name in tables.
    pub name: &'static str,
    /// The place that it was taken from.
    pub from: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Source of a file.
enum From {
    /// All files with these extensions below the first folders.
    Folders(Vec<PathBuf>, &'static [&'static str]),
    /// The first of these files that exists.
    File(&'static [&'static str]),
    /// Made by the benchmark of DEFLATE.
    Made(Kind),
}

/// Returns the files, each of at most `bytes` bytes, and a line for each kind that this system
/// lacks.
pub fn all(bytes: usize) -> (Vec<Input>, Vec<String>) {
    let share = |folder: &str| Path::new("/usr/share").join(folder);
    let images = || vec![home().join(".rustup/toolchains"), share("doc"), share("icons"), share("pixmaps")];
    let kinds = [
        ("api-lists", From::Folders(vec!["/var/lib/dpkg/info".into()], &["symbols"])),
        ("c-source", From::Folders(vec![crates().join("registry/src")], &["c", "h"])),
        ("rust-source", From::Made(Kind::Source)),
        ("program", From::File(&["/usr/bin/python3.13", "/usr/bin/python3.11", "/usr/bin/gdb"])),
        ("small-program", From::File(&["/usr/bin/git", "/usr/bin/perl"])),
        ("json-list", From::File(&["/usr/share/iso-codes/json/iso_639-3.json"])),
        ("json-log", From::Made(Kind::Json)),
        ("sql-dump", From::Made(Kind::TpchText)),
        ("png", From::Folders(images(), &["png"])),
        ("parquet", From::Made(Kind::Orders)),
    ];
    let (mut inputs, mut missing) = (vec![], vec![]);
    for (name, from) in kinds {
        match from.read(bytes) {
            Ok((from, bytes)) => inputs.push(Input { name, from, bytes }),
            Err(reason) => missing.push(format!("{name}: {reason}")),
        }
    }
    (inputs, missing)
}

impl From {
    fn read(self, bytes: usize) -> Result<(String, Vec<u8>), String> {
        match self {
            Self::Folders(folders, extensions) => {
                let mut all = vec![];
                folders.iter().for_each(|folder| collect(folder, extensions, bytes, &mut all));
                all.truncate(bytes);
                let names: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
                let from = format!("*.{} below {}", extensions.join(", *."), names.join(", "));
                if all.is_empty() { Err(format!("no {from}")) } else { Ok((from, all)) }
            }
            Self::File(paths) => {
                let path = paths.iter().find(|path| Path::new(path).exists());
                let path = path.ok_or_else(|| format!("none of {}", paths.join(", ")))?;
                let mut all = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
                all.truncate(bytes);
                Ok(((*path).to_owned(), all))
            }
            Self::Made(kind) => Ok((format!("made: {}", kind.name()), kind.make(bytes)?)),
        }
    }
}
