//! Pages of a file, read in batches and in the order of the file.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use pelton_codec::{Checksum, checksum};
use pelton_job::Router;

use crate::error::{Cause, Error, Place, Result};
use crate::file::ParquetFile;
use crate::header::thrift::ThriftError;
use crate::header::{self, HeaderError, PageHeader, PageKind, Parsed};

/// Bytes of a batch of pages, compressed and uncompressed together: some tens of pages of usual
/// size, which keep that number of cores busy. A larger page is a batch by itself.
const WINDOW_BYTES: usize = 16 << 20;

/// Bytes read at a time. A page that is cut at their end is read again.
const READ_BYTES: u64 = 4 << 20;

/// A page in its stored form.
pub(super) struct RawPage {
    /// Row group and leaf column of its chunk.
    pub chunk: (usize, usize),
    pub place: Place,
    pub codec: Compression,
    /// Offset of its header in the file.
    pub offset: u64,
    /// Its serialized header.
    pub head: Bytes,
    /// Its parsed header; `None` for a page of a type without values, which is copied.
    pub header: Option<PageHeader>,
    /// The bytes behind the header.
    pub body: Bytes,
}

/// Reads the pages of a file in order.
pub(super) struct Source {
    file: Arc<ParquetFile>,
    router: Arc<Router>,
    chunk: (usize, usize),
    /// Number of the next page in its chunk, and its offset in the file.
    page: usize,
    at: u64,
    /// Bytes that were read from there on.
    buffer: Bytes,
    /// Values and uncompressed bytes of the chunk's pages so far.
    values: u64,
    uncompressed: u64,
}

impl Source {
    pub fn new(file: &Arc<ParquetFile>, router: &Arc<Router>) -> Self {
        let (file, router) = (file.clone(), router.clone());
        let mut source = Self {
            file,
            router,
            chunk: (0, 0),
            page: 0,
            at: 0,
            buffer: Bytes::new(),
            values: 0,
            uncompressed: 0,
        };
        source.enter((0, 0));
        source
    }

    /// Reads the next batch of pages; `None` at the end of the file.
    ///
    /// # Errors
    /// The file can't be read or has changed, a header is bad, or a checksum differs.
    pub async fn window(&mut self) -> Result<Option<Vec<RawPage>>> {
        let (mut pages, mut bytes) = (Vec::new(), 0);
        while bytes < WINDOW_BYTES {
            let Some(page) = self.page().await? else { break };
            bytes += page.body.len() + page.header.map_or(0, |header| header.uncompressed_size);
            pages.push(page);
        }
        Ok((!pages.is_empty()).then_some(pages))
    }

    /// Moves to the start of a chunk, or of the next row group's first chunk if there is no such
    /// chunk.
    fn enter(&mut self, chunk: (usize, usize)) {
        (self.page, self.values, self.uncompressed, self.buffer) = (0, 0, 0, Bytes::new());
        self.chunk = chunk;
        while let Some(group) = self.file.metadata().row_groups().get(self.chunk.0) {
            if let Some(column) = group.columns().get(self.chunk.1) {
                self.at = column.byte_range().0;
                break;
            }
            self.chunk = (self.chunk.0 + 1, 0);
        }
    }

    async fn page(&mut self) -> Result<Option<RawPage>> {
        let file = self.file.clone();
        loop {
            let (row_group, leaf) = self.chunk;
            let Some(group) = file.metadata().row_groups().get(row_group) else { return Ok(None) };
            let column = group.column(leaf);
            let (start, length) = column.byte_range();
            let end = start + length;
            let place = file.place().row_group(row_group).column(column.column_path().string());
            let place = place.page(self.page);
            let bad = |what: String| Error::new(place.clone(), Cause::BadHeader(what));

            // a chunk may be longer than its pages, which end when all of its values were seen
            let may_end = self.values >= column.num_values() as u64;
            let mut need = 1;
            let (parsed, head, size) = loop {
                if self.buffer.len() < need && self.at + (self.buffer.len() as u64) < end {
                    self.read(need, end).await?;
                }
                let is_all = self.at + self.buffer.len() as u64 >= end;
                match header::parse(&self.buffer) {
                    Ok((parsed, head)) => {
                        let size = match &parsed {
                            Parsed::Page(header) => header.compressed_size,
                            Parsed::Other(size) => *size,
                        };
                        if head + size <= self.buffer.len() {
                            break (Some(parsed), head, size);
                        }
                        if is_all && !may_end {
                            let left = self.buffer.len() - head;
                            return Err(bad(format!("the page is {size} bytes, its chunk has {left} left")));
                        }
                        need = head + size;
                    }
                    Err(HeaderError::Thrift(ThriftError::Truncated)) if !is_all => {
                        need = self.buffer.len() * 2;
                    }
                    Err(_) if may_end => {}
                    Err(_) if self.buffer.is_empty() => {
                        let (seen, values) = (self.values, column.num_values());
                        return Err(bad(format!("the chunk ends after {seen} of its {values} values")));
                    }
                    Err(e) => return Err(bad(e.to_string())),
                }
                if is_all || self.buffer.len() >= need {
                    break (None, 0, 0);
                }
            };
            let Some(parsed) = parsed else {
                self.enter((row_group, leaf + 1));
                continue;
            };
            let page = RawPage {
                chunk: self.chunk,
                codec: column.compression(),
                offset: self.at,
                head: self.buffer.slice(..head),
                header: match parsed {
                    Parsed::Page(header) => Some(header),
                    Parsed::Other(_) => None,
                },
                body: self.buffer.slice(head..head + size),
                place: place.clone(),
            };
            self.buffer = self.buffer.slice(head + size..);
            self.at += (head + size) as u64;
            self.page += 1;
            self.check(&page, column.uncompressed_size() as u64)?;
            return Ok(Some(page));
        }
    }

    /// Fills the buffer with the next bytes of the chunk: `need` or more, up to its end.
    async fn read(&mut self, need: usize, end: u64) -> Result<()> {
        let range = self.at..end.min(self.at.saturating_add(READ_BYTES.max(need as u64)));
        let read = self.file.location().read(&[range], |len| self.router.input_buffer(len)).await?;
        self.buffer = read.into_iter().next().unwrap_or_default();
        Ok(())
    }

    /// Counts a page, and validates its sizes and checksum without decompressing it. `uncompressed`
    /// is the uncompressed size of its chunk in the footer.
    fn check(&mut self, page: &RawPage, uncompressed: u64) -> Result<()> {
        let Some(header) = page.header else { return Ok(()) };
        if !matches!(header.kind, PageKind::Dictionary { .. }) {
            self.values += u64::from(header.num_values);
        }
        self.uncompressed += header.uncompressed_size as u64;
        if self.uncompressed > uncompressed {
            let what = format!(
                "the pages so far claim {} bytes, their whole chunk has {uncompressed}",
                self.uncompressed
            );
            return Err(Error::new(page.place.clone(), Cause::BadHeader(what)));
        }
        if let Some(expected) = header.crc {
            let found = checksum(Checksum::Crc32, &page.body) as u32;
            if found != expected {
                return Err(Error::new(page.place.clone(), Cause::PageChecksum { expected, found }));
            }
        }
        Ok(())
    }
}
