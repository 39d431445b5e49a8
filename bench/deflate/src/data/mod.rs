//! Data to compress: some megabytes of each kind, the same in every run on the same machine.

mod made;
mod tpch;

use std::fs;
use std::path::{Path, PathBuf};

use pelton_random::Random;

/// A kind of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Kind {
    /// Pages of TPC-H's lineitem, as Parquet's encodings left them
    Lineitem,
    /// Pages of TPC-H's orders
    Orders,
    /// Rows of lineitem and orders as dbgen writes them
    TpchText,
    /// Rust source code of this repository and of the crates that it uses
    Source,
    /// Log lines of a web service as JSON
    Json,
    /// A column of doubles with two decimals that walk at random
    Floats,
    /// Bytes that cannot be compressed
    Random,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 7] =
        [Kind::Lineitem, Kind::Orders, Kind::TpchText, Kind::Source, Kind::Json, Kind::Floats, Kind::Random];

    /// Returns the name in options and tables.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Lineitem => "lineitem",
            Kind::Orders => "orders",
            Kind::TpchText => "tpch-text",
            Kind::Source => "source",
            Kind::Json => "json",
            Kind::Floats => "floats",
            Kind::Random => "random",
        }
    }

    /// Makes or reads at most `bytes` bytes; the error says why there are none.
    pub fn make(self, bytes: usize) -> Result<Vec<u8>, String> {
        let mut random = Random::new(self as u64);
        match self {
            Kind::Lineitem => tpch::pages("lineitem.parquet", bytes),
            Kind::Orders => tpch::pages("orders.parquet", bytes),
            Kind::TpchText => Ok(tpch::text(bytes)),
            Kind::Source => rust_source(bytes),
            Kind::Json => Ok(made::json(&mut random, bytes)),
            Kind::Floats => Ok(made::floats(&mut random, bytes)),
            Kind::Random => Ok((0..bytes).map(|_| random.next() as u8).collect()),
        }
    }
}

pub fn home() -> PathBuf {
    std::env::var_os("HOME").map_or_else(PathBuf::new, PathBuf::from)
}

/// Returns Cargo's folder, with the sources of crates.
pub fn crates() -> PathBuf {
    std::env::var_os("CARGO_HOME").map_or_else(|| home().join(".cargo"), PathBuf::from)
}

/// Rust files of this repository, then of the crates that Cargo has unpacked.
fn rust_source(bytes: usize) -> Result<Vec<u8>, String> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut uncompressed = Vec::new();
    for folder in ["crates", "devices", "cli", "bench", "tests", "fuzz"].map(|name| repository.join(name)) {
        collect(&folder, &["rs"], bytes, &mut uncompressed);
    }
    collect(&crates().join("registry/src"), &["rs"], bytes, &mut uncompressed);
    uncompressed.truncate(bytes);
    let missing = || format!("no Rust files below {} and {}", repository.display(), crates().display());
    if uncompressed.is_empty() { Err(missing()) } else { Ok(uncompressed) }
}

/// Appends files with some extensions below a folder, in the order of their names, until there are
/// `bytes` bytes.
pub fn collect(folder: &Path, extensions: &[&str], bytes: usize, uncompressed: &mut Vec<u8>) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if uncompressed.len() >= bytes {
            return;
        }
        if path.is_dir() {
            collect(&path, extensions, bytes, uncompressed);
        } else if extensions.iter().any(|&extension| path.extension().is_some_and(|found| found == extension))
        {
            uncompressed.extend_from_slice(&fs::read(path).unwrap_or_default());
        }
    }
}
