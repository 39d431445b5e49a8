//! Data to compress: files of the benchmark corpora, columns of TPC-H, and generated sets.

mod archive;
mod generated;
mod tpch;

use std::fs;
use std::path::{Path, PathBuf};

/// Source of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The Calgary corpus.
    Calgary,
    /// The Canterbury corpus.
    Canterbury,
    /// The Silesia corpus.
    Silesia,
    /// Columns of TPC-H's lineitem as pages of a Parquet file.
    Tpch,
    /// Made here.
    Generated,
}

impl Group {
    /// Every group.
    pub const ALL: [Group; 5] =
        [Group::Calgary, Group::Canterbury, Group::Silesia, Group::Tpch, Group::Generated];
    /// Those of the paper.
    pub const CORPORA: [Group; 3] = [Group::Calgary, Group::Canterbury, Group::Silesia];

    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Group::Calgary => "Calgary",
            Group::Canterbury => "Canterbury",
            Group::Silesia => "Silesia",
            Group::Tpch => "TPC-H",
            Group::Generated => "generated",
        }
    }

    /// Returns the names of a corpus's files.
    fn files(self) -> &'static [&'static str] {
        match self {
            Group::Calgary => &[
                "bib", "book1", "book2", "geo", "news", "obj1", "obj2", "paper1", "paper2", "paper3",
                "paper4", "paper5", "paper6", "pic", "progc", "progl", "progp", "trans",
            ],
            Group::Canterbury => &[
                "alice29.txt",
                "asyoulik.txt",
                "cp.html",
                "fields.c",
                "grammar.lsp",
                "kennedy.xls",
                "lcet10.txt",
                "plrabn12.txt",
                "ptt5",
                "sum",
                "xargs.1",
            ],
            Group::Silesia => &[
                "dickens", "mozilla", "mr", "nci", "ooffice", "osdb", "reymont", "samba", "sao", "webster",
                "x-ray", "xml",
            ],
            Group::Tpch | Group::Generated => &[],
        }
    }
}

/// A file, or a column's pages.
pub struct File {
    /// Its source.
    pub group: Group,
    /// Its name.
    pub name: String,
    /// Its bytes, in blocks that are compressed by themselves.
    pub blocks: Vec<Vec<u8>>,
}

impl File {
    /// Returns its size.
    pub fn len(&self) -> usize {
        self.blocks.iter().map(Vec::len).sum()
    }

    /// Returns the start of each block, at most `max` bytes of all.
    pub fn start(&self, max: usize) -> impl Iterator<Item = &[u8]> {
        let mut left = max;
        self.blocks.iter().map_while(move |block| {
            let len = block.len().min(left);
            left -= len;
            (len > 0).then(|| &block[..len])
        })
    }
}

/// Returns TPC-H's columns and the generated sets.
pub fn made() -> Result<Vec<File>, String> {
    let columns = tpch::lineitem()?;
    let columns = columns.into_iter().map(|(name, blocks)| File { group: Group::Tpch, name, blocks });
    let sets = generated::all().into_iter().map(|(name, bytes)| File {
        group: Group::Generated,
        name: name.to_owned(),
        blocks: vec![bytes],
    });
    Ok(columns.chain(sets).collect())
}

/// Name of the generated set of which long tokens find more.
pub const LONG_REPEATS: &str = generated::LONG_REPEATS;

/// Reads the corpora's files below a folder, which may be in .tar.gz and .zip archives; returns
/// them in their order, and the names of the absent ones.
pub fn corpora(folder: &Path, max: usize) -> Result<(Vec<File>, Vec<String>), String> {
    let mut found = Vec::new();
    for path in paths_below(folder)? {
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let in_archive = |error| format!("{}: {error}", path.display());
        match name.rsplit('.').next() {
            Some("gz" | "tgz") => found.extend(archive::tar_gz(&bytes).map_err(in_archive)?),
            Some("zip") => found.extend(archive::zip(&bytes).map_err(in_archive)?),
            _ => found.push((name, bytes)),
        }
    }
    let (mut files, mut absent) = (Vec::new(), Vec::new());
    for group in Group::CORPORA {
        for &name in group.files() {
            match found.iter_mut().find(|(found, _)| found == name) {
                Some((_, bytes)) => {
                    let mut bytes = std::mem::take(bytes);
                    bytes.truncate(max);
                    files.push(File { group, name: name.to_owned(), blocks: vec![bytes] });
                }
                None => absent.push(format!("{} of {}", name, group.name())),
            }
        }
    }
    match files.is_empty() {
        true => Err(format!("{}: no file of the corpora; name their folder", folder.display())),
        false => Ok((files, absent)),
    }
}

fn paths_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        match path.is_dir() {
            true => paths.extend(paths_below(&path)?),
            false => paths.push(path),
        }
    }
    paths.sort();
    Ok(paths)
}
