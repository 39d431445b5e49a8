//! Sample of the data: its blocks, or an even share of them if there are too many.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use bytes::Bytes;
use pelton_report::even_share::Even;

use super::input::{Input, Kind};
use super::pages;
use crate::failure::Failure;

/// Block size for files that have no pages of their own.
const BLOCK_SIZE: usize = 64 << 10;

/// Blocks, uncompressed.
pub struct Sample {
    pub blocks: Vec<Bytes>,
    /// Bytes of all blocks.
    pub bytes: u64,
    /// Bytes that they were taken from; for Parquet with the pages' headers, as the footer has it.
    pub of: u64,
    /// Whether they are all that there is.
    pub is_whole: bool,
    /// The size that all blocks were cut to; None if there are Parquet pages among them, as they
    /// are.
    pub cut_to: Option<usize>,
}

impl Sample {
    /// Takes about `max` bytes of the inputs, in blocks of `block_size`, or if that is not said in
    /// those of each file.
    pub fn take(inputs: &[Input], max: usize, block_size: Option<usize>) -> Result<Self, Failure> {
        let of: u64 = inputs.iter().map(Input::uncompressed).sum();
        let mut even = Even::new(max as f64 / of.max(1) as f64);
        let mut blocks = Vec::new();
        for input in inputs {
            let path = &input.path;
            match &input.kind {
                Kind::Plain(file) => {
                    let size = block_size.unwrap_or(BLOCK_SIZE);
                    read_blocks(file, input.bytes, size, &mut even, &mut blocks)
                        .map_err(|error| Failure::file(path, &error))?;
                }
                Kind::Parquet { file, .. } => {
                    let mut take = |page: Bytes| cut(&page, block_size, &mut blocks);
                    pages::for_each(path, file, &mut || even.choose(), &mut take)?;
                }
            }
        }
        let bytes: u64 = blocks.iter().map(|block| block.len() as u64).sum();
        if bytes == 0 {
            return Err(Failure::Error("there are no bytes in these files to try codecs on".into()));
        }
        let has_pages = inputs.iter().any(|input| matches!(input.kind, Kind::Parquet { .. }));
        let cut_to = block_size.or((!has_pages).then_some(BLOCK_SIZE));
        Ok(Sample { blocks, bytes, of: of.max(bytes), is_whole: even.is_all(), cut_to })
    }
}

fn cut(page: &Bytes, size: Option<usize>, blocks: &mut Vec<Bytes>) {
    let size = size.unwrap_or(page.len()).max(1);
    blocks.extend((0..page.len()).step_by(size).map(|start| page.slice(start..page.len().min(start + size))));
}

fn read_blocks(
    mut file: &File,
    bytes: u64,
    size: usize,
    even: &mut Even,
    blocks: &mut Vec<Bytes>,
) -> io::Result<()> {
    for start in (0..bytes).step_by(size) {
        if even.choose() {
            let length = (bytes - start).min(size as u64);
            let mut block = Vec::with_capacity(length as usize);
            file.seek(SeekFrom::Start(start))?;
            file.take(length).read_to_end(&mut block)?;
            if block.len() as u64 != length {
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "the file got shorter while it was read",
                ));
            }
            blocks.push(block.into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
