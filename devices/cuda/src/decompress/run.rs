//! Launches of a batch, by our kernels or nvCOMP.

use std::ops::Range;
use std::sync::Arc;

use super::batch::{Batch, counter};
use super::kernels::{Kernels, Kind};
use super::layout::{BatchParams, NvcompParams};
use super::{PageTask, Statuses};
use crate::nvcomp::{Choices, Engine, Nvcomp, NvcompUse};
use crate::{Error, Gpu, Label, Pod, Result, SpanKind, Stream, bytes_of};

/// Decompresses batches of pages on a GPU. Clones share the compiled kernels.
#[derive(Clone)]
pub struct Decompressor {
    shared: Arc<Shared>,
}

struct Shared {
    gpu: Gpu,
    kernels: Kernels,
    nvcomp: Option<Nvcomp>,
    choices: Choices,
}

impl Decompressor {
    /// Returns a decompressor for a GPU. Kernels are compiled when a format is first met.
    ///
    /// # Errors
    /// None so far.
    pub fn new(gpu: &Gpu) -> Result<Decompressor> {
        Decompressor::with_nvcomp(gpu, NvcompUse::default())
    }

    /// Returns a decompressor that uses nvCOMP as permitted, where it is installed and faster.
    ///
    /// # Errors
    /// As [`Decompressor::new`].
    pub fn with_nvcomp(gpu: &Gpu, permitted: NvcompUse) -> Result<Decompressor> {
        let nvcomp = Nvcomp::open(gpu, permitted);
        let shared =
            Shared { gpu: gpu.clone(), kernels: Kernels::default(), nvcomp, choices: Choices::default() };
        Ok(Decompressor { shared: Arc::new(shared) })
    }

    /// Returns the version of nvCOMP that is loaded, as a decimal number (6001 is 6.0.1), if it is.
    pub fn nvcomp_version(&self) -> Option<u32> {
        self.shared.nvcomp.as_ref().map(Nvcomp::version)
    }

    /// Queues the decompression of a batch on the stream. The results of the pages are on the GPU
    /// once it is done. The first large batch of a format that nvCOMP may decode is decompressed by
    /// both, several times, and waited for.
    ///
    /// # Errors
    /// A page is longer than [`PageTask::LONGEST`]; no memory for the table; a kernel does not
    /// compile; or the device fails.
    pub fn run(&self, stream: &Stream, pages: &[PageTask]) -> Result<Statuses> {
        let longest = pages.iter().map(|page| page.source_len.max(page.target_len)).max().unwrap_or_default();
        if longest > PageTask::LONGEST || u32::try_from(pages.len()).is_err() {
            let what = format!("a batch of {} pages of up to {longest} bytes", pages.len());
            return Err(Error::BadCall { what });
        }
        let batch = Batch::stage(&self.shared.gpu, stream, pages)?;
        let mut first = 0;
        for group in batch.pages.chunk_by(|a, b| Kind::of(a.format) == Kind::of(b.format)) {
            self.run_group(&batch, first..first + group.len())?;
            first += group.len();
        }
        Ok(Statuses::new(batch.buffer, batch.results, pages.len()))
    }

    /// Queues pages of one kind on the faster decoder.
    fn run_group(&self, batch: &Batch<'_>, range: Range<usize>) -> Result<()> {
        let Shared { nvcomp, choices, .. } = &*self.shared;
        let pages = &batch.pages[range.clone()];
        let (format, kind) = (pages[0].format, Kind::of(pages[0].format));
        let ours = || self.launch(batch, kind, range.clone());
        let engine = choices.get(format);
        let plan = nvcomp.as_ref().and_then(|nvcomp| Some((nvcomp, nvcomp.plan(format, pages)?)));
        let Some((nvcomp, plan)) = plan.filter(|_| engine != Some(Engine::Ours)) else { return ours() };
        let adopt = |produced, statuses| self.adopt(batch, range.clone(), produced, statuses);
        let theirs = || nvcomp.run(batch.stream, &plan, pages, &adopt);
        if engine == Some(Engine::Nvcomp) {
            return theirs().or_else(|_| {
                choices.set(format, Engine::Ours);
                ours()
            });
        }
        let bytes = pages.iter().map(|page| u64::from(page.target_len)).sum();
        let again = || {
            // the earlier run has left the counter at the end of the pages
            let counter = counter(kind);
            batch.stream.fill(&batch.buffer, counter..counter + size_of::<u32>(), 0)?;
            ours()
        };
        choices.measure((format, bytes), batch.stream, theirs, again)
    }

    /// Queues our own kernel.
    fn launch(&self, batch: &Batch<'_>, kind: Kind, range: Range<usize>) -> Result<()> {
        let most = self.shared.gpu.properties().multiprocessors.max(1);
        let description = kind.description();
        let blocks = range.len().div_ceil(description.threads as usize / 32) as u32;
        let params = BatchParams {
            pages: batch.page_address(range.start),
            results: batch.buffer.address() + batch.results as u64,
            status: batch.buffer.address(),
            next: batch.buffer.address() + counter(kind) as u64,
            count: range.len() as u32,
            unused: 0,
        };
        let blocks = blocks.min(most.saturating_mul(description.blocks));
        self.queue(batch, kind, blocks, &params, range)
    }

    /// Queues the adoption of nvCOMP's results.
    pub(super) fn adopt(
        &self,
        batch: &Batch<'_>,
        range: Range<usize>,
        produced: u64,
        statuses: u64,
    ) -> Result<()> {
        let blocks = range.len().div_ceil(Kind::Adopt.description().threads as usize) as u32;
        let params = NvcompParams {
            pages: batch.page_address(range.start),
            produced,
            statuses,
            results: batch.buffer.address() + batch.results as u64,
            status: batch.buffer.address(),
            count: range.len() as u32,
            unused: 0,
        };
        self.queue(batch, Kind::Adopt, blocks, &params, range)
    }

    fn queue(
        &self,
        batch: &Batch<'_>,
        kind: Kind,
        blocks: u32,
        params: &impl Pod,
        range: Range<usize>,
    ) -> Result<()> {
        let kernel = self.shared.kernels.get(&self.shared.gpu, kind)?;
        let description = kind.description();
        let bytes = |page: &PageTask| u64::from(page.source_len) + u64::from(page.target_len);
        let label = Label {
            kind: SpanKind::Decompress,
            text: description.name.into(),
            bytes: batch.pages[range].iter().map(bytes).sum(),
        };
        // SAFETY: the table, counters and results are in one buffer of this batch, which outlives
        // the queued work. The makers of the tasks promise that the pages own their addresses; the
        // kernels stay within them.
        #[allow(unsafe_code)]
        unsafe {
            batch.stream.launch(&kernel, blocks, description.threads, bytes_of(params), label)
        }
    }
}

impl std::fmt::Debug for Decompressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decompressor").field("gpu", &self.shared.gpu).finish_non_exhaustive()
    }
}
