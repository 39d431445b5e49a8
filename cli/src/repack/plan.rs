//! Plan of a repack: pairs of input and output files.

use std::fs;
use std::path::{Path, PathBuf};

use pelton::Engine;

use crate::failure::Failure;

/// A file to read and one to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub input: String,
    pub output: PathBuf,
    /// Bytes to read.
    pub bytes: u64,
}

/// Returns the pair of the file, or of all Parquet files below a folder, which keep their names and
/// folders. Nothing is written yet.
pub fn pairs(engine: &Engine, input: &str, output: &Path, force: bool) -> Result<Vec<Pair>, Failure> {
    let source = Path::new(input);
    let is_folder = source.is_dir();
    if output.to_str().is_some_and(|output| output.contains("://")) {
        let name = output.display();
        return Err(Failure::Usage(format!("{name}: repack writes local files; name a path")));
    }
    if !is_folder && output.is_dir() {
        return Err(Failure::Usage(format!("{}: is a folder; name a file in it", output.display())));
    }
    if is_folder && output.exists() && !output.is_dir() {
        return Err(Failure::Usage(format!("{}: is a file, but {input} is a folder", output.display())));
    }
    let pair = |name: String| {
        let output = match Path::new(&name).strip_prefix(source) {
            Ok(inside) if is_folder => output.join(inside),
            _ => output.to_owned(),
        };
        if output.is_file() && !force {
            let what = format!("{}: is there already; use --force to overwrite it", output.display());
            return Err(Failure::Error(what));
        }
        // a failure here is reported when the file is read
        let bytes = fs::metadata(&name).map_or(0, |about| about.len());
        Ok(Pair { input: name, output, bytes })
    };
    if is_folder {
        engine.files(input)?.into_iter().map(pair).collect()
    } else {
        Ok(vec![pair(input.to_owned())?])
    }
}
