//! Blocks of a table's Parquet file: large ones of the whole file, or its pages.

use std::fs::{self, File};
use std::path::Path;

use bytes::Bytes;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;

use pelton_report::even_share::Even;
use pelton_tpch::Error;

/// Blocks, uncompressed.
pub struct Blocks {
    /// The blocks.
    pub blocks: Vec<Bytes>,
    /// Bytes of all of them.
    pub bytes: u64,
}

impl Blocks {
    /// About `max` bytes of a file, evenly, in blocks of `size` bytes.
    pub fn of_file(path: &Path, size: usize, max: usize) -> Result<Blocks, Error> {
        let file = Bytes::from(fs::read(path).map_err(|e| Error::io(path, e))?);
        let blocks =
            (0..file.len()).step_by(size).map(|start| file.slice(start..file.len().min(start + size)));
        Ok(Blocks::evenly(blocks.collect(), max))
    }

    /// About `max` bytes of the pages of a Parquet file, evenly.
    pub fn of_pages(path: &Path, max: usize) -> Result<Blocks, Error> {
        let file = File::open(path).map_err(|e| Error::io(path, e))?;
        let failed = |e| Error::parquet(path, e);
        let reader = SerializedFileReader::new(file).map_err(failed)?;
        let mut blocks = Vec::new();
        for group in 0..reader.metadata().num_row_groups() {
            let group = reader.get_row_group(group).map_err(failed)?;
            for column in 0..group.num_columns() {
                let pages = group.get_column_page_reader(column).map_err(failed)?;
                for page in pages {
                    blocks.push(page.map_err(failed)?.buffer().clone());
                }
            }
        }
        Ok(Blocks::evenly(blocks, max))
    }

    fn evenly(blocks: Vec<Bytes>, max: usize) -> Blocks {
        let all: usize = blocks.iter().map(Bytes::len).sum();
        let mut even = Even::new(max as f64 / all.max(1) as f64);
        let blocks: Vec<Bytes> = blocks.into_iter().filter(|_| even.choose()).collect();
        let bytes = blocks.iter().map(|block| block.len() as u64).sum();
        Blocks { blocks, bytes }
    }
}
