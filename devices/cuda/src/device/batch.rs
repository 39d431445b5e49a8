//! Run of a batch: upload, decompression, download.

use std::ops::Range;

use bytes::Bytes;

use super::Common;
use crate::decompress::{Format, PageOutcome, PageTask};
use crate::{Result, Stream};

/// Bytes to decompress, and the maximum size of the output.
pub(super) struct Page {
    pub format: Format,
    pub input: Bytes,
    pub capacity: usize,
}

/// Alignment of pages in a buffer, for the kernels' widest copies.
const ALIGNMENT: usize = 16;

/// Bytes after the last page of a buffer, for loads that reach over (`pelton/prelude.cuh`).
const PADDING: usize = 32;

/// Results of a batch, and its outputs in one piece.
pub(super) struct Done {
    outcomes: Vec<PageOutcome>,
    targets: Vec<Range<usize>>,
    output: Vec<u8>,
}

impl Done {
    /// Returns the result of a page, and its output.
    pub fn page(&self, index: usize) -> (PageOutcome, &[u8]) {
        let outcome = self.outcomes[index];
        let capacity = &self.output[self.targets[index].clone()];
        (outcome, capacity.get(..outcome.produced as usize).unwrap_or(capacity))
    }
}

/// Returns the ranges of pieces of these lengths in a buffer, and the buffer's length.
fn place(lens: impl Iterator<Item = usize>) -> (Vec<Range<usize>>, usize) {
    let mut end = 0;
    let places: Vec<Range<usize>> = lens
        .map(|len| {
            let start = end;
            end = (start + len).next_multiple_of(ALIGNMENT);
            start..start + len
        })
        .collect();
    (places, end + PADDING)
}

/// Returns the bytes of the GPU's memory that a page takes at most.
pub(super) fn bytes_of_page(input: usize, capacity: usize) -> usize {
    input + capacity + 2 * ALIGNMENT
}

/// Decompresses a batch, and waits for it. [`takes`](super::takes) has checked the lengths.
pub(super) fn decompress(common: &Common, stream: &Stream, pages: &[Page]) -> Result<Done> {
    let (sources, source_len) = place(pages.iter().map(|page| page.input.len()));
    let (targets, target_len) = place(pages.iter().map(|page| page.capacity));
    let source = common.gpu.allocate(source_len)?;
    let target = common.gpu.allocate(target_len)?;
    let uploads = pages.iter().zip(&sources).map(|(page, at)| (&source, at.start, page.input.clone()));
    stream.upload_batch(uploads.collect())?;
    let tasks: Vec<PageTask> = pages
        .iter()
        .zip(sources.iter().zip(&targets))
        .map(|(page, (from, to))| PageTask {
            format: page.format,
            source: source.address() + from.start as u64,
            source_len: from.len() as u32,
            target: target.address() + to.start as u64,
            target_len: to.len() as u32,
        })
        .collect();
    let statuses = common.decompressor.run(stream, &tasks)?;
    let outcomes = statuses.outcomes(stream)?;
    let output = stream.download(&target, 0..target_len - PADDING)?;
    Ok(Done { outcomes, targets, output })
}
