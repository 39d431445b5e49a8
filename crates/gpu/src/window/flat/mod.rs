//! Decoded columns, for tables that stay on the GPU.
//!
//! A column that is read repeatedly is worth decoding once: its pages become one page without an
//! encoding. Numbers and values of fixed length lie one after the other, booleans as bits,
//! dictionary indices in the fewest bytes that hold them. Indices are kept: they are shorter than
//! their values, and conditions are evaluated once for each dictionary entry. Strings without a
//! dictionary are already bytes and offsets in their pages, and stay there.

mod plan;

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Type;
use pelton_device_cuda::{Buffer, Gpu, Kernel, Label, SpanKind, Stream, bytes_of, bytes_of_slice};
use pelton_pages::raw::{RawChunk, RawPage};

use super::column::{ColumnType, StagedColumn};
use super::device::DeviceWindow;
use super::error::{Error, Result};
use super::layout::{self, Column, FlatParams, PADDING, Page, form};
use plan::Flat;

/// Threads of a block.
const THREADS: u32 = 256;

/// Returns whether a column of a row group can be decoded: values of fixed length, or only
/// dictionary indices.
pub fn can_be_flat(chunk: &RawChunk, of: &ColumnType) -> bool {
    let has_values = |page: &&RawPage| page.header.num_values > 0;
    of.physical != Type::BYTE_ARRAY || chunk.pages.iter().filter(has_values).all(RawPage::is_coded)
}

/// Decodes columns.
#[derive(Debug)]
pub struct Flattener {
    gpu: Gpu,
    kernel: Kernel,
}

impl Flattener {
    /// Compiles the kernel, or takes it from the cache.
    ///
    /// # Errors
    /// The compiler rejects it.
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let kernel = gpu.compile(&layout::flat_kernels())?.kernel("pages_flatten")?;
        Ok(Self { gpu: gpu.clone(), kernel })
    }

    /// Decodes the columns of a scan range over whole row groups, in their order. Its pages were
    /// checked, and all of its columns [can be flat](can_be_flat). `room` is asked about the bytes
    /// of GPU memory that they will take. Waits.
    ///
    /// # Errors
    /// An index beyond the dictionary; the error of `room`; there is not enough memory, or the GPU
    /// fails.
    pub fn flatten<E: From<Error>>(
        &self,
        compute: &Stream,
        window: &DeviceWindow,
        room: impl FnOnce(u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<Vec<Arc<StagedColumn>>, E> {
        let tables = compute.download(&window.columns, 0..window.columns.len()).map_err(Error::from)?;
        let plans = window.placed().into_iter().map(|column| Flat::new(&column, window, &tables));
        let plans = plans.collect::<Result<Vec<_>>>()?;
        room(plans.iter().map(|plan| plan.arena.used + PADDING).sum())?;
        let buffers = plans.iter().map(|plan| self.decode(compute, window, plan));
        let buffers = buffers.collect::<Result<Vec<_>>>()?;
        // indices are checked against their dictionaries as they are copied
        window.check(compute)?;
        let columns = plans.iter().zip(buffers).zip(window.places_and_dictionaries());
        let columns = columns.map(|((plan, buffer), (place, dictionary))| {
            let base = buffer.address();
            let column = Column {
                page_count: 1,
                hint_count: plan.hints() as u32,
                first_row: 0,
                pages: base + plan.at.pages,
                hints: base + plan.at.hints,
                dictionary: plan.dictionary.map_or(0, |_| base + plan.at.pages + size_of::<Page>() as u64),
                ..plan.column
            };
            let (rows, bytes) = (plan.rows, plan.arena.used);
            Arc::new(StagedColumn { column, place, dictionary, rows, bytes, buffers: vec![buffer] })
        });
        Ok(columns.collect())
    }

    /// Allocates and fills a column's buffer.
    fn decode(&self, compute: &Stream, window: &DeviceWindow, plan: &Flat) -> Result<Arc<Buffer>> {
        let buffer = Arc::new(self.gpu.allocate((plan.arena.used + PADDING) as usize)?);
        let base = buffer.address();
        compute.fill(&buffer, 0..buffer.len(), 0)?;
        let mut copies = vec![(plan.at.pages, bytes_of_slice(&plan.flat_pages(base)).to_vec())];
        copies.push((plan.at.before, bytes_of_slice(&plan.before()).to_vec()));
        let copies = copies.into_iter().map(|(at, data)| (&*buffer, at as usize, Bytes::from(data)));
        compute.upload_batch(copies.collect())?;
        if let Some(page) = &plan.dictionary {
            window.copy_out(compute, page.values, &buffer, plan.at.dictionary, plan.dictionary_bytes())?;
            if page.form == form::STRINGS {
                let bytes = (u64::from(page.present) + 1) * 4;
                window.copy_out(compute, page.offsets, &buffer, plan.at.offsets, bytes)?;
            }
        }
        let params = FlatParams {
            column: window.column_address(plan.column.number),
            before: base + plan.at.before,
            rows: plan.rows,
            values: base + plan.at.values,
            words: plan.at.words.map_or(0, |at| base + at),
            form: plan.form,
            width: plan.width,
        };
        let label =
            Label { kind: SpanKind::Kernel, text: "pages_flatten".to_owned(), bytes: plan.arena.used };
        let blocks = plan.rows.div_ceil(THREADS.into()).min(u64::from(u16::MAX)) as u32;
        // SAFETY: the column's pages cover its rows, as `Flat::new` has checked. The buffer has
        // capacity for each value and word, and the scan range holds the column's buffers until the
        // stream has been waited for.
        #[allow(unsafe_code)]
        unsafe {
            compute.launch(&self.kernel, blocks, THREADS, bytes_of(&params), label)?;
        }
        Ok(buffer)
    }
}
