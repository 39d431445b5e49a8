//! Decoded columns, for what stays on the GPU.
//!
//! A column that is read again and again is worth decoding once: its pages become one page that is not encoded. Numbers and values
//! of fixed length lie one after the other, booleans as bits, codes of a dictionary as 1, 2 or 4 bytes. Codes stay codes: they are
//! fewer bytes to read than what they stand for, and conditions are decided once for each of a dictionary's values.
//! Strings that are not codes are bytes and offsets in their pages already, and stay there.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Type;
use pelton_device_cuda::{
    Buffer, Gpu, Kernel, Label, SpanKind, Stream, bytes_of, bytes_of_slice, from_bytes,
};
use pelton_pages::raw::{RawChunk, RawPage};
use pelton_pages::{Cause, Place};

use super::column::ColumnType;
use super::device::DeviceWindow;
use super::error::{Error, Result};
use super::layout::{Column, FlatParams, HINT_ROWS, NULL_WORD_BYTES, PADDING, Page, form};
use super::plan::Room;
use super::sources;
use super::staged::StagedColumn;

/// Threads of a block.
const THREADS: u32 = 256;

/// Whether a column of a row group can be decoded for good: values of fixed length, or codes alone.
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

/// A column that is to be decoded, and where everything of it will be in its buffer.
struct Flat {
    column: Column,
    pages: Vec<Page>,
    dictionary: Option<Page>,
    rows: u64,
    /// Values that are not null.
    present: u32,
    form: u32,
    width: u32,
    /// Offsets: of the page and the dictionary's, of hints, of numbers of values before each page, of null words, of values, and of the
    /// dictionary's values and offsets.
    at: Places,
    room: Room,
}

#[derive(Default)]
struct Places {
    pages: u64,
    hints: u64,
    before: u64,
    words: Option<u64>,
    values: u64,
    dictionary: u64,
    offsets: u64,
}

impl Flattener {
    /// Compiles the kernel, or takes it from the cache.
    ///
    /// # Errors
    /// The compiler refuses it.
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let kernel = gpu.compile(&sources::flat_kernels())?.kernel("pages_flatten")?;
        Ok(Self { gpu: gpu.clone(), kernel })
    }

    /// The columns of a window over whole row groups, decoded, in their order. The window's pages were checked, and all of its columns
    /// [can be flat](can_be_flat). `room` is asked about the bytes of GPU memory that they will take. Waits.
    ///
    /// # Errors
    /// A code that the dictionary has not; what `room` says; there is not enough memory, or the GPU fails.
    pub fn flatten<E: From<Error>>(
        &self,
        compute: &Stream,
        window: &DeviceWindow,
        room: impl FnOnce(u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<Vec<Arc<StagedColumn>>, E> {
        let tables = compute.download(&window.columns, 0..window.columns.len()).map_err(Error::from)?;
        let plans = window.placed().into_iter().map(|column| Flat::new(&column, window, &tables));
        let plans = plans.collect::<Result<Vec<_>>>()?;
        room(plans.iter().map(|plan| plan.room.used + PADDING).sum())?;
        let buffers = plans.iter().map(|plan| self.decode(compute, window, plan));
        let buffers = buffers.collect::<Result<Vec<_>>>()?;
        // codes are held against their dictionaries as they are copied
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
            let (rows, bytes) = (plan.rows, plan.room.used);
            Arc::new(StagedColumn { column, place, dictionary, rows, bytes, buffers: vec![buffer] })
        });
        Ok(columns.collect())
    }

    /// Makes a column's buffer, and has it filled.
    fn decode(&self, compute: &Stream, window: &DeviceWindow, plan: &Flat) -> Result<Arc<Buffer>> {
        let buffer = Arc::new(self.gpu.allocate((plan.room.used + PADDING) as usize)?);
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
        let label = Label { kind: SpanKind::Kernel, text: "pages_flatten".to_owned(), bytes: plan.room.used };
        let blocks = plan.rows.div_ceil(THREADS.into()).min(u64::from(u16::MAX)) as u32;
        // SAFETY: the column's pages cover its rows, as `Flat::new` has seen; the buffer has room for each value and word, and the
        // window holds what the column points to until the stream has been waited for.
        #[allow(unsafe_code)]
        unsafe {
            compute.launch(&self.kernel, blocks, THREADS, bytes_of(&params), label)?;
        }
        Ok(buffer)
    }
}

impl Flat {
    /// Plans a column whose pages the directory's kernel has been over; `tables` are the bytes of the window's.
    fn new(column: &Column, window: &DeviceWindow, tables: &[u8]) -> Result<Self> {
        let odd = |what: &str| {
            let cause = Cause::Decode(format!("internal error: {what}"));
            Error::Refused(pelton_pages::Error::new(Place::default(), cause))
        };
        let pages_at = |address: u64, count: u32| {
            let start = address.wrapping_sub(window.columns.address()) as usize;
            let bytes =
                start.checked_add(count as usize * size_of::<Page>()).and_then(|end| tables.get(start..end));
            bytes.and_then(from_bytes::<Page>).ok_or_else(|| odd("pages that are not in their window"))
        };
        let pages = pages_at(column.pages, column.page_count)?;
        let dictionary = match column.dictionary {
            0 => None,
            address => pages_at(address, 1)?.first().copied(),
        };
        let rows: u64 = pages.iter().map(|page| u64::from(page.rows)).sum();
        let present: u64 = pages.iter().map(|page| u64::from(page.present)).sum();
        let gap = |pair: &[Page]| pair[0].first_row + u64::from(pair[0].rows) != pair[1].first_row;
        if pages.first().is_some_and(|page| page.first_row != 0) || pages.windows(2).any(gap) {
            return Err(odd("pages that do not follow each other"));
        }
        let present = u32::try_from(present).ok().filter(|_| rows <= u64::from(u32::MAX));
        let present = present.ok_or_else(|| odd("a row group of more than 2^32 rows"))?;
        let coded = pages.iter().filter(|page| page.present > 0).all(|page| page.form == form::CODES);
        let (form, width) = match (&dictionary, column.physical) {
            (Some(dictionary), _) if coded => (form::FLAT_CODES, code_bytes(dictionary.present)),
            (_, 0) => (form::BITS, 0),
            _ if column.value_width > 0 => (form::FIXED, column.value_width),
            // a column of strings without any
            _ if present == 0 => (form::FIXED, 0),
            _ => return Err(odd("strings that are no codes")),
        };
        let has_nulls = u64::from(present) < rows;
        let mut flat = Self {
            column: *column,
            pages,
            dictionary: dictionary.filter(|_| form == form::FLAT_CODES),
            rows,
            present,
            form,
            width,
            at: Places::default(),
            room: Room::default(),
        };
        let mut room = Room::default();
        flat.at = Places {
            pages: room.take(2 * size_of::<Page>() as u64),
            hints: room.take(flat.hints() * 4),
            before: room.take(flat.pages.len() as u64 * 4),
            words: has_nulls.then(|| room.take(rows.div_ceil(32) * NULL_WORD_BYTES)),
            values: room.take(flat.value_bytes()),
            dictionary: room.take(flat.dictionary_bytes()),
            offsets: room.take(flat.dictionary.map_or(0, |page| (u64::from(page.present) + 1) * 4)),
        };
        flat.room = room;
        Ok(flat)
    }

    fn hints(&self) -> u64 {
        self.rows.div_ceil(HINT_ROWS)
    }

    fn value_bytes(&self) -> u64 {
        match self.form {
            form::BITS => u64::from(self.present).div_ceil(32) * 4,
            _ => u64::from(self.present) * u64::from(self.width),
        }
    }

    fn dictionary_bytes(&self) -> u64 {
        self.dictionary.map_or(0, |page| page.values_length.into())
    }

    /// How many values are in front of each page.
    fn before(&self) -> Vec<u32> {
        let sums = self.pages.iter().scan(0, |sum, page| {
            let before = *sum;
            *sum += page.present;
            Some(before)
        });
        sums.collect()
    }

    /// The page, and the dictionary's, in a buffer at `base`.
    fn flat_pages(&self, base: u64) -> Vec<Page> {
        let flat = Page {
            first_row: 0,
            rows: self.rows as u32,
            column: self.column.number,
            physical: self.column.physical,
            value_width: self.column.value_width,
            words: self.at.words.map_or(0, |at| base + at),
            values: base + self.at.values,
            values_length: u32::try_from(self.value_bytes()).unwrap_or(u32::MAX),
            form: self.form,
            present: self.present,
            has_nulls: u32::from(self.at.words.is_some()),
            code_width: self.width * 8,
            ..Page::default()
        };
        let dictionary = self.dictionary.map(|page| Page {
            values: base + self.at.dictionary,
            offsets: base + self.at.offsets,
            ..page
        });
        [Some(flat), dictionary].into_iter().flatten().collect()
    }
}

/// Bytes of a code of a dictionary with so many values.
fn code_bytes(values: u32) -> u32 {
    match values {
        0..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    }
}
