//! Decoder of pages: from host memory to values that kernels can read.

use std::sync::Arc;

use bytes::Bytes;
use pelton_device_cuda::{
    Buffer, Decompressor, Gpu, Kernel, Label, PageTask, SpanKind, Stream, bytes_of, bytes_of_slice,
    from_bytes,
};
use pelton_pages::Cause;

use super::device::{DeviceWindow, Parts};
use super::error::{Error, Result};
use super::layout::{self, Column, DirectoryParams, PADDING, Page, StringsParams, WARPS};
use super::plan::{Arena, Plan, Task};
use super::raw::RawWindow;
use super::{check, support};

/// Loads scan ranges to a GPU.
pub struct PageDecoder {
    gpu: Gpu,
    decompressor: Decompressor,
    directory: Kernel,
    strings: Kernel,
}

/// Tables that the directory kernel reads and writes, apart from the pages' bytes: one buffer, in
/// this order.
struct Tables {
    columns: u64,
    pages: u64,
    hints: Vec<u64>,
    /// Numbers of the open pages ([`super::plan::PlannedPage::is_open`]).
    open: u64,
    status: u64,
    arena: Arena,
}

impl Tables {
    fn new(plan: &Plan) -> Self {
        let mut arena = Arena::default();
        let columns = arena.reserve((plan.columns.len() * size_of::<Column>()) as u64);
        let pages = arena.reserve((plan.pages.len() * size_of::<Page>()) as u64);
        let hints = plan.columns.iter().map(|column| arena.reserve(column.hints.len() as u64 * 4)).collect();
        let open = arena.reserve(plan.pages.len() as u64 * 4);
        let status = arena.reserve(check::STATUS_BYTES as u64);
        Self { columns, pages, hints, open, status, arena }
    }

    /// Returns the columns with addresses in place of offsets.
    fn columns(&self, plan: &Plan, base: u64, raw: u64) -> Vec<Column> {
        let page = |index: usize| base + self.pages + (index * size_of::<Page>()) as u64;
        let columns = plan.columns.iter().zip(&self.hints).map(|(planned, hints)| {
            let mut column = planned.column;
            column.status = base + self.status;
            if planned.is_staged {
                return column;
            }
            column.pages = page(planned.pages.start);
            column.hints = base + hints;
            column.dictionary = planned.dictionary.map_or(0, page);
            if let Some(at) = planned.constant {
                column.constant[0] = raw + at;
            }
            column
        });
        columns.collect()
    }

    /// Returns the tables with addresses in place of offsets.
    fn fill(&self, plan: &Plan, columns: &[Column], raw: u64, work: u64) -> Vec<u8> {
        let mut bytes = vec![0; self.arena.used as usize];
        let mut put =
            |at: u64, data: &[u8]| bytes[at as usize..at as usize + data.len()].copy_from_slice(data);
        let pages: Vec<Page> = plan.pages.iter().map(|planned| planned.placed(raw, work)).collect();
        put(self.pages, bytes_of_slice(&pages));
        put(self.columns, bytes_of_slice(columns));
        for (planned, at) in plan.columns.iter().zip(&self.hints) {
            put(*at, bytes_of_slice(&planned.hints));
        }
        put(self.open, bytes_of_slice(&open_pages(plan)));
        bytes
    }
}

/// Returns the pages with strings that the kernel `pages_strings` writes.
fn open_pages(plan: &Plan) -> Vec<u32> {
    let numbers = plan.pages.iter().zip(0..);
    numbers.filter(|(planned, _)| planned.is_front_coded()).map(|(_, number)| number).collect()
}

/// Returns the tasks of decompression, in the order of [`Plan::tasks`].
fn tasks(plan: &Plan, raw: &RawWindow, pages: u64, work: u64) -> Result<Vec<PageTask>> {
    let task = |task: &Task| {
        let unsupported = |what: String| {
            let page = &plan.pages[task.page].page;
            let place = raw.place(page.column as usize).page(page.number as usize);
            Error::Unsupported(pelton_pages::Error::new(place, Cause::Decompress(what)))
        };
        let format =
            support::format(task.codec).ok_or_else(|| unsupported(format!("its codec is {}", task.codec)))?;
        Ok(PageTask {
            format,
            source: pages + task.source,
            // headers have sizes of 31 bits
            source_len: task.source_len as u32,
            target: work + task.target,
            target_len: task.target_len as u32,
        })
    };
    plan.tasks.iter().map(task).collect()
}

fn label(text: &str, bytes: u64) -> Label {
    Label { kind: SpanKind::Kernel, text: text.to_owned(), bytes }
}

impl PageDecoder {
    /// Compiles the kernels, or takes them from the cache.
    ///
    /// # Errors
    /// The compiler rejects them.
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let module = gpu.compile(&layout::page_kernels())?;
        let (directory, strings) = (module.kernel("pages_directory")?, module.kernel("pages_strings")?);
        Ok(Self { gpu: gpu.clone(), decompressor: Decompressor::new(gpu)?, directory, strings })
    }

    /// Copies a scan range's pages to the GPU on the stream `copy`; has them decompressed and their
    /// directories built on `decompress`. Kernels that are queued on `decompress` from then on, or
    /// on a stream that waits for it, find the values there. [`DeviceWindow::check`] tells whether
    /// the pages were sound.
    ///
    /// # Errors
    /// Page headers contradict their pages, there is not enough memory, or the GPU fails.
    pub fn stage(&self, copy: &Stream, decompress: &Stream, raw: &RawWindow) -> Result<DeviceWindow> {
        let plan = Plan::new(raw)?;
        let tables = Tables::new(&plan);
        let pages = self.buffer(&plan.raw)?;
        let work = self.buffer(&plan.work)?;
        let columns = self.buffer(&tables.arena)?;
        let tile_bytes = Bytes::copy_from_slice(bytes_of_slice(&plan.tiles));
        let tiles = self.buffer(&Arena { used: tile_bytes.len() as u64 })?;
        let placed = tables.columns(&plan, columns.address(), pages.address());
        let filled = Bytes::from(tables.fill(&plan, &placed, pages.address(), work.address()));
        let mut copies = vec![(&*columns, 0, filled), (&*tiles, 0, tile_bytes)];
        copies.extend(plan.copies.iter().map(|part| (&*pages, part.at as usize, part.bytes.clone())));
        copy.upload_batch(copies)?;
        for (buffer, arena) in [(&pages, &plan.raw), (&work, &plan.work)] {
            copy.fill(buffer, arena.used as usize..buffer.len(), 0)?;
        }
        decompress.wait(&copy.record()?)?;
        let statuses = match tasks(&plan, raw, pages.address(), work.address())? {
            tasks if tasks.is_empty() => None,
            tasks => Some(self.decompressor.run(decompress, &tasks)?),
        };

        let count = plan.pages.len() as u32;
        let params = DirectoryParams {
            pages: columns.address() + tables.pages,
            status: columns.address() + tables.status,
            count,
            unused: 0,
        };
        let label = label("pages_directory", plan.raw.used + plan.work.used);
        // SAFETY: the pages' addresses are in `pages` and `work`, where the plan has reserved
        // memory for each.
        #[allow(unsafe_code)]
        unsafe {
            let blocks = count.div_ceil(WARPS);
            decompress.launch(&self.directory, blocks, WARPS * 32, bytes_of(&params), label)?;
        }
        let strings = self.strings(decompress, &plan, &tables, &columns)?;
        let buffers = [Some(work), strings].into_iter().flatten().collect();
        let status = tables.status as usize;
        Ok(DeviceWindow::new(Parts { raw, plan, placed, columns, tiles, status, statuses, pages, buffers }))
    }

    /// Returns the bytes of GPU memory that the pages of a scan range will take as
    /// [`StagedColumn`](super::StagedColumn)s, without strings of `DELTA_BYTE_ARRAY`, which have no
    /// known size before they are decoded.
    ///
    /// # Errors
    /// As of [`PageDecoder::stage`], for page headers.
    pub fn memory(&self, raw: &RawWindow) -> Result<u64> {
        let plan = Plan::new(raw)?;
        let raw = if plan.reads_raw() { plan.raw.used } else { 0 };
        Ok(plan.work.used.saturating_add(Tables::new(&plan).arena.used).saturating_add(raw))
    }

    fn buffer(&self, arena: &Arena) -> Result<Arc<Buffer>> {
        let bytes = usize::try_from(arena.used.saturating_add(PADDING)).unwrap_or(usize::MAX);
        Ok(Arc::new(self.gpu.allocate(bytes)?))
    }

    /// Writes the strings of `DELTA_BYTE_ARRAY`, after the directory's kernel has found their
    /// lengths. It is the only encoding for which the host has to wait, as a page of it can have
    /// any size.
    fn strings(
        &self,
        decompress: &Stream,
        plan: &Plan,
        tables: &Tables,
        columns: &Arc<Buffer>,
    ) -> Result<Option<Arc<Buffer>>> {
        let which = open_pages(plan);
        if which.is_empty() {
            return Ok(None);
        }
        let mut written = None;
        if plan.pages.iter().any(|planned| planned.is_open) {
            let from = tables.pages as usize;
            let bytes = decompress.download(columns, from..from + plan.pages.len() * size_of::<Page>())?;
            let mut pages: Vec<Page> = from_bytes(&bytes).unwrap_or_default();
            let mut arena = Arena::default();
            let open = || plan.pages.iter().zip(0usize..).filter(|(planned, _)| planned.is_open);
            for (_, index) in open() {
                pages[index].decoded = arena.reserve(pages[index].decoded_length);
            }
            let buffer = self.buffer(&arena)?;
            for (_, index) in open() {
                pages[index].decoded += buffer.address();
            }
            decompress.fill(&buffer, arena.used as usize..buffer.len(), 0)?;
            decompress.upload(columns, from, Bytes::copy_from_slice(bytes_of_slice(&pages)))?;
            written = Some(buffer);
        }
        let params = StringsParams {
            pages: columns.address() + tables.pages,
            which: columns.address() + tables.open,
            count: which.len() as u32,
            unused: 0,
        };
        let label = label("pages_strings", written.as_ref().map_or(0, |buffer| buffer.len() as u64));
        // SAFETY: each page's buffer has the length that the directory's kernel found for its
        // strings.
        #[allow(unsafe_code)]
        unsafe {
            let blocks = params.count.div_ceil(WARPS);
            decompress.launch(&self.strings, blocks, WARPS * 32, bytes_of(&params), label)?;
        }
        Ok(written)
    }
}
