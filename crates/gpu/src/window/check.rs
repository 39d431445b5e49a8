//! Errors that kernels found in pages, with their place in the file.

use std::sync::Arc;

use pelton_device_cuda::{Buffer, Status, Statuses, Stream, code_text, from_bytes};
use pelton_pages::header::PageKind;
use pelton_pages::raw::RawChunk;
use pelton_pages::{Cause, Error, Place};

use super::error::{self, Result};

/// Bytes of `struct Status`.
pub const STATUS_BYTES: usize = size_of::<Status>();

/// `CODE_UNSUPPORTED` of the decompressing kernels.
const UNSUPPORTED: u32 = 10;

/// Place of a column and its pages, for errors.
#[derive(Debug, Default)]
pub struct ColumnPlace {
    place: Place,
    /// Number, values and nulls of its pages, the last if the header says them.
    pages: Vec<(usize, u32, Option<u32>)>,
}

impl ColumnPlace {
    pub fn new(chunk: &RawChunk) -> Self {
        let pages = chunk.dictionary.iter().chain(&chunk.pages).map(|page| {
            let nulls = match page.header.kind {
                PageKind::DataV2 { num_nulls, .. } => Some(num_nulls),
                _ => None,
            };
            (page.page, page.header.num_values, nulls)
        });
        Self { place: chunk.place.clone(), pages: pages.collect() }
    }

    /// Returns the error of a status.
    fn error(&self, status: &Status) -> Error {
        let number = status.page as usize;
        let page = self.pages.iter().find(|(page, ..)| *page == number);
        let (values, nulls) = page.map_or((0, None), |&(_, values, nulls)| (values, nulls));
        let what = error::code_text(status.code, status.detail, values, nulls);
        Error::new(self.place.clone().page(number), Cause::Decode(what))
    }
}

/// Results of the pages that were decompressed.
#[derive(Debug)]
pub struct Decompression {
    pub statuses: Statuses,
    /// Column and page of each.
    pub pages: Vec<(usize, usize)>,
}

/// Checks that must pass before a scan range's values count.
#[derive(Debug)]
pub struct Checks {
    /// Offset of the status in the columns' buffer.
    pub status: usize,
    pub columns: Vec<Arc<ColumnPlace>>,
    pub decompression: Option<Decompression>,
}

impl Checks {
    /// Waits for the stream, and runs the checks.
    pub fn run(&self, stream: &Stream, tables: &Buffer) -> Result<()> {
        // the contents of a page that was not decompressed are arbitrary, and so are later errors
        if let Some(Decompression { statuses, pages }) = &self.decompression
            && let Err(fault) = statuses.check(stream)?
        {
            let &(column, page) = pages.get(fault.index).unwrap_or(&(usize::MAX, 0));
            let place = self.columns.get(column).map(|column| column.place.clone()).unwrap_or_default();
            let what = code_text(fault.code).unwrap_or("internal error: an unknown code of decompression");
            let error = Error::new(place.page(page), Cause::Decompress(what.to_owned()));
            return Err(match fault.code {
                UNSUPPORTED => super::Error::Unsupported(error),
                _ => super::Error::Pages(error),
            });
        }
        let bytes = stream.download(tables, self.status..self.status + STATUS_BYTES)?;
        let found: Vec<Status> = from_bytes(&bytes).unwrap_or_default();
        let Some(status) = found.first().filter(|status| status.code != 0) else { return Ok(()) };
        let column = self.columns.get(status.column as usize);
        let unknown = ColumnPlace::default();
        Err(column.map_or(&unknown, AsRef::as_ref).error(status).into())
    }
}
