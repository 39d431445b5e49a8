//! A batch's table, counters and results in the GPU's memory.

use std::cmp::Reverse;
use std::sync::Arc;

use bytes::Bytes;

use super::PageTask;
use super::kernels::{Kind, container};
use super::layout::{Page, PageResult};
use crate::{Buffer, Gpu, Result, Status, Stream, bytes_of};

/// Bytes in front of a batch's table: the status, and a counter for each kind of kernel, all zero
/// before the launch.
const COUNTERS: usize = size_of::<Status>();
const TABLE: usize = (COUNTERS + Kind::COUNT * size_of::<u32>()).next_multiple_of(align_of::<u64>());

/// A batch in progress: its pages, kind by kind, and the place of its table.
pub(super) struct Batch<'a> {
    pub stream: &'a Stream,
    /// In the order of the table.
    pub pages: Vec<PageTask>,
    pub buffer: Arc<Buffer>,
    /// Where the results start.
    pub results: usize,
}

impl<'a> Batch<'a> {
    /// Uploads the table of a batch.
    pub fn stage(gpu: &Gpu, stream: &'a Stream, pages: &[PageTask]) -> Result<Batch<'a>> {
        let order = order(pages);
        let mut table = vec![0; TABLE];
        for &index in &order {
            let PageTask { format, source, source_len, target, target_len } = pages[index as usize];
            let container = container(format);
            let page = Page { source, target, source_len, target_len, index, container };
            table.extend_from_slice(bytes_of(&page));
        }
        let results = table.len();
        let bytes = results + pages.len() * size_of::<PageResult>();
        let buffer = Arc::new(gpu.allocate(bytes)?);
        stream.upload(&buffer, 0, Bytes::from(table))?;
        let pages = order.into_iter().map(|index| pages[index as usize]).collect();
        Ok(Batch { stream, pages, buffer, results })
    }

    /// Returns the address of a page in the table.
    pub fn page_address(&self, place: usize) -> u64 {
        self.buffer.address() + (TABLE + place * size_of::<Page>()) as u64
    }
}

/// Returns the offset of a kind's counter in the batch's buffer.
pub(super) fn counter(kind: Kind) -> usize {
    COUNTERS + kind as usize * size_of::<u32>()
}

/// Returns the order of the pages in the table: by kind, then by length, the longest first.
fn order(pages: &[PageTask]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..pages.len() as u32).collect();
    order.sort_by_key(|&index| {
        let page = pages[index as usize];
        (Kind::of(page.format) as u32, Reverse(page.target_len))
    });
    order
}
