//! What kernels found wrong with pages, as errors that name the place.

use pelton_device_cuda::{Buffer, Status, Stream, from_bytes};
use pelton_pages::header::PageKind;
use pelton_pages::raw::RawChunk;
use pelton_pages::{Cause, Error, Place};

use super::error::Result;
use super::fault;

/// Bytes of `struct Status`.
pub const STATUS_BYTES: usize = size_of::<Status>();

/// What errors say of a column.
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

    /// The error of a status.
    fn error(&self, status: &Status) -> Error {
        let number = status.page as usize;
        let page = self.pages.iter().find(|(page, ..)| *page == number);
        let (values, nulls) = page.map_or((0, None), |&(_, values, nulls)| (values, nulls));
        let what = fault::text(status.code, status.detail, values, nulls);
        Error::new(self.place.clone().page(number), Cause::Decode(what))
    }
}

/// What is to be looked at before a window's values count.
#[derive(Debug)]
pub struct Checks {
    /// Where in the columns' buffer the status is.
    pub status: usize,
    pub columns: Vec<ColumnPlace>,
}

impl Checks {
    /// Waits for the stream.
    pub fn run(&self, stream: &Stream, tables: &Buffer) -> Result<()> {
        let bytes = stream.download(tables, self.status..self.status + STATUS_BYTES)?;
        let found: Vec<Status> = from_bytes(&bytes).unwrap_or_default();
        let Some(status) = found.first().filter(|status| status.code != 0) else { return Ok(()) };
        let column = self.columns.get(status.column as usize);
        let unknown = ColumnPlace::default();
        Err(column.unwrap_or(&unknown).error(status).into())
    }
}
