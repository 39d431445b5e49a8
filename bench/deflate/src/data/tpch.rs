//! TPC-H: pages of its Parquet files, and its rows as text.

use std::fmt::Display;
use std::fs;
use std::path::PathBuf;

use pelton_codec::{Decoder, Format};
use tpchgen::generators::{LineItemGenerator, OrderGenerator};

use super::home;

/// Maximum number of bytes from a page, so that the data comes from many pages and every column has
/// its share.
const PIECE: usize = 256 << 10;
/// Capacity for a page of Pelton's writer, several times its usual size.
const PAGE: usize = 4 << 20;

/// Returns the uncompressed bytes of pages from all over a Parquet file with gzip pages: its gzip
/// members, wherever they are.
///
/// Files lie in `PELTON_TPCH`, else where `pelton tpch` keeps them.
pub fn pages(name: &str, bytes: usize) -> Result<Vec<u8>, String> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(|| home().join(".cache"), PathBuf::from);
    let folder =
        std::env::var_os("PELTON_TPCH").map_or_else(|| cache.join("pelton/tpch-sf1-gzip"), PathBuf::from);
    let path = folder.join(name);
    let file = fs::read(&path).map_err(|e| {
        format!("{}: {e}; `cargo run --release -p pelton-cli -- tpch --sf 1` makes it", path.display())
    })?;
    let step = file.len() / bytes.div_ceil(PIECE);
    let (mut uncompressed, mut at) = (Vec::new(), 0);
    let mut page = vec![0; PAGE];
    let mut decoder = Decoder::new();
    while uncompressed.len() < bytes && at + 3 < file.len() {
        let found = file[at..].starts_with(&[0x1f, 0x8b, 8]);
        match found.then(|| decoder.decompress(Format::Gzip, &file[at..], &mut page)) {
            Some(Ok(done)) => {
                uncompressed.extend_from_slice(&page[..done.produced.min(PIECE)]);
                at += step;
            }
            _ => at += 1,
        }
    }
    uncompressed.truncate(bytes);
    if uncompressed.is_empty() {
        Err(format!("{} has no gzip pages", path.display()))
    } else {
        Ok(uncompressed)
    }
}

/// Returns rows of lineitem and of orders as dbgen writes them, half of the bytes each.
pub fn text(bytes: usize) -> Vec<u8> {
    let mut text = rows(LineItemGenerator::new(1.0, 1, 1).iter(), bytes / 2);
    text.append(&mut rows(OrderGenerator::new(1.0, 1, 1).iter(), bytes - bytes / 2));
    text
}

fn rows(rows: impl Iterator<Item = impl Display>, bytes: usize) -> Vec<u8> {
    let mut text = String::new();
    for row in rows {
        text += &format!("{row}\n");
        if text.len() >= bytes {
            break;
        }
    }
    text.truncate(bytes);
    text.into_bytes()
}
