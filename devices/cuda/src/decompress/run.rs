//! Queueing a batch.

use std::cmp::Reverse;
use std::sync::Arc;

use bytes::Bytes;

use super::kernels::{Kernels, Kind, container};
use super::layout::{BatchParams, Page, PageResult};
use super::{PageTask, Statuses};
use crate::{Error, Gpu, Label, Result, SpanKind, Status, Stream, bytes_of, bytes_of_slice};

/// Decompresses batches of pages on a GPU. Clones share the compiled kernels.
#[derive(Clone)]
pub struct Decompressor {
    gpu: Gpu,
    kernels: Arc<Kernels>,
}

/// What is in front of a batch's table: the status, and a counter for each kind of kernel, all zero before the launch.
const COUNTERS: usize = size_of::<Status>();
const TABLE: usize = (COUNTERS + Kind::ALL.len() * size_of::<u32>()).next_multiple_of(align_of::<u64>());

impl Decompressor {
    /// A decompressor for a GPU. Kernels are compiled when a format is first met.
    ///
    /// # Errors
    /// None so far; a GPU that can't have one would say so here.
    pub fn new(gpu: &Gpu) -> Result<Decompressor> {
        Ok(Decompressor { gpu: gpu.clone(), kernels: Arc::default() })
    }

    /// Queues the decompression of a batch on the stream. What became of the pages is on the GPU once that is done.
    ///
    /// # Errors
    /// A page is longer than [`PageTask::LONGEST`]; no memory for the table; a kernel does not compile; or the device
    /// fails.
    pub fn run(&self, stream: &Stream, pages: &[PageTask]) -> Result<Statuses> {
        let longest = pages.iter().map(|page| page.source_len.max(page.target_len)).max().unwrap_or_default();
        if longest > PageTask::LONGEST || u32::try_from(pages.len()).is_err() {
            return Err(Error::BadCall {
                what: format!("a batch of {} pages of up to {longest} bytes", pages.len()),
            });
        }
        let order = order(pages);
        let mut table = vec![0; TABLE];
        for &index in &order {
            let PageTask { format, source, source_len, target, target_len } = pages[index as usize];
            let container = container(format);
            table.extend_from_slice(bytes_of(&Page {
                source,
                target,
                source_len,
                target_len,
                index,
                container,
            }));
        }
        let results = table.len();
        let buffer = Arc::new(self.gpu.allocate(results + pages.len() * size_of::<PageResult>())?);
        stream.upload(&buffer, 0, Bytes::from(table))?;
        let mut first = 0;
        for group in order.chunk_by(|&a, &b| kind(pages, a) == kind(pages, b)) {
            let kind = kind(pages, group[0]);
            let params = BatchParams {
                pages: buffer.address() + (TABLE + first * size_of::<Page>()) as u64,
                results: buffer.address() + results as u64,
                status: buffer.address(),
                next: buffer.address() + (COUNTERS + kind as usize * size_of::<u32>()) as u64,
                count: group.len() as u32,
                unused: 0,
            };
            self.launch(stream, kind, &params, group.iter().map(|&index| pages[index as usize]))?;
            first += group.len();
        }
        Ok(Statuses::new(buffer, results, pages.len()))
    }

    fn launch(
        &self,
        stream: &Stream,
        kind: Kind,
        params: &BatchParams,
        pages: impl Iterator<Item = PageTask>,
    ) -> Result<()> {
        let kernel = self.kernels.get(&self.gpu, kind)?;
        let description = kind.description();
        let warps = description.threads / 32;
        let most = self.gpu.properties().multiprocessors.max(1).saturating_mul(description.blocks);
        let blocks = params.count.div_ceil(warps).min(most);
        let label = Label {
            kind: SpanKind::Decompress,
            text: description.name.into(),
            bytes: pages.map(|page| u64::from(page.source_len) + u64::from(page.target_len)).sum(),
        };
        // SAFETY: the table, counters and results are in one buffer of this batch, which the stream keeps until it is
        // done; what the pages' addresses own is the promise of who made the tasks, and the kernels stay within it.
        #[allow(unsafe_code)]
        unsafe {
            stream.launch(&kernel, blocks, description.threads, bytes_of_slice(&[*params]), label)
        }
    }
}

fn kind(pages: &[PageTask], index: u32) -> Kind {
    Kind::of(pages[index as usize].format)
}

/// The places of the pages, those of one kind together and the longest of them first.
fn order(pages: &[PageTask]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..pages.len() as u32).collect();
    order.sort_by_key(|&index| (kind(pages, index) as u32, Reverse(pages[index as usize].target_len)));
    order
}

impl std::fmt::Debug for Decompressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decompressor").field("gpu", &self.gpu).finish_non_exhaustive()
    }
}
