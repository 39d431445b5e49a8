//! Rust source code.

use std::fs;
use std::path::{Path, PathBuf};

use super::home;

/// Rust files of this repository, then of the crates that Cargo has unpacked.
pub fn rust(bytes: usize) -> Result<Vec<u8>, String> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let registry = std::env::var_os("CARGO_HOME").map_or_else(|| home().join(".cargo"), PathBuf::from);
    let mut plain = Vec::new();
    for folder in ["crates", "devices", "cli", "bench", "tests", "fuzz"].map(|name| repository.join(name)) {
        collect(&folder, bytes, &mut plain);
    }
    collect(&registry.join("registry/src"), bytes, &mut plain);
    plain.truncate(bytes);
    let missing = || format!("no Rust files below {} and {}", repository.display(), registry.display());
    if plain.is_empty() { Err(missing()) } else { Ok(plain) }
}

/// Appends Rust files below a folder, in the order of their names, until there are `bytes` bytes.
fn collect(folder: &Path, bytes: usize, plain: &mut Vec<u8>) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if plain.len() >= bytes {
            return;
        }
        if path.is_dir() {
            collect(&path, bytes, plain);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            plain.extend_from_slice(&fs::read(path).unwrap_or_default());
        }
    }
}
