//! Page stores for parquet-rs, which submit full pages to the router while the rest of their column
//! chunk is encoded.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use parquet::arrow::arrow_writer::{PageKey, PageStore, PageStoreArgs, PageStoreFactory};
use parquet::basic::{Compression, Encoding};
use parquet::errors::{ParquetError, Result as ParquetResult};
use pelton_job::Router;

use super::lock;
use crate::error::{Place, Result};
use crate::header::{self, PageKind, Parsed};
use crate::write::Packing;
use crate::write::compress::{Compressing, NewPage};
use crate::write::source::RawPage;

/// Bytes of pages that are submitted as a batch. Smaller batches give a device too few
/// pages to compress together; larger ones delay the first job.
const BATCH_BYTES: usize = 1 << 20;

/// Creates the stores of a row group's chunks, and shares their pages.
pub(super) struct Stores {
    pub place: Place,
    pub row_group: usize,
    pub packing: Packing,
    pub router: Arc<Router>,
    /// Pages by leaf column, since parquet-rs creates the stores in the order of the columns.
    pub chunks: Mutex<Vec<Arc<Mutex<ChunkPages>>>>,
}

impl std::fmt::Debug for Stores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stores").field("row_group", &self.row_group).finish_non_exhaustive()
    }
}

impl PageStoreFactory for Stores {
    fn create(&self, column: &PageStoreArgs<'_>) -> ParquetResult<Box<dyn PageStore>> {
        let leaf = column.column_index();
        let descriptor = column.column_descriptor();
        let pages = Arc::new(Mutex::new(ChunkPages {
            chunk: (self.row_group, leaf),
            place: self.place.clone().row_group(self.row_group).column(descriptor.path().string()),
            packing: self.packing,
            router: self.router.clone(),
            head: None,
            waiting: Vec::new(),
            waiting_bytes: 0,
            batches: Vec::new(),
            pages: 0,
            lengths: Vec::new(),
            dictionary: None,
            is_all_codes: true,
        }));
        lock(&self.chunks).push(pages.clone());
        Ok(Box::new(Store { pages }))
    }
}

/// The side of a chunk's pages that parquet-rs sees.
struct Store {
    pages: Arc<Mutex<ChunkPages>>,
}

impl PageStore for Store {
    fn put(&mut self, value: Bytes) -> ParquetResult<PageKey> {
        lock(&self.pages).put(value)
    }

    /// Returns zeros of the page's length, because the layout only counts them.
    fn take(&mut self, key: PageKey) -> ParquetResult<Bytes> {
        let pages = lock(&self.pages);
        let length = pages.lengths.get(key.get() as usize);
        let length = length.ok_or_else(|| ParquetError::General(format!("no page {}", key.get())))?;
        Ok(vec![0; *length].into())
    }
}

/// Pages of a chunk in all states: waiting, or in the router.
pub(super) struct ChunkPages {
    chunk: (usize, usize),
    place: Place,
    packing: Packing,
    router: Arc<Router>,
    /// A page's header, if its body comes next.
    head: Option<Bytes>,
    waiting: Vec<RawPage>,
    waiting_bytes: usize,
    batches: Vec<Compressing>,
    pages: usize,
    /// Lengths of headers and bodies, in the order of `put`.
    lengths: Vec<usize>,
    /// The plain-encoded dictionary.
    pub dictionary: Option<Bytes>,
    /// All data pages so far hold dictionary indices.
    pub is_all_codes: bool,
}

impl ChunkPages {
    fn put(&mut self, value: Bytes) -> ParquetResult<PageKey> {
        let key = PageKey::new(self.lengths.len() as u64);
        self.lengths.push(value.len());
        match self.head.take() {
            None => self.head = Some(value),
            Some(head) => self.page(head, value)?,
        }
        Ok(key)
    }

    fn page(&mut self, head: Bytes, body: Bytes) -> ParquetResult<()> {
        let (parsed, _) = header::parse(&head).map_err(|e| ParquetError::General(e.to_string()))?;
        let Parsed::Page(header) = parsed else {
            return Err(ParquetError::General("a page of an unknown type".to_owned()));
        };
        match header.kind {
            PageKind::Dictionary { .. } => self.dictionary = Some(body.clone()),
            _ => self.is_all_codes &= header.encoding == Encoding::RLE_DICTIONARY,
        }
        self.waiting_bytes += body.len();
        self.waiting.push(RawPage {
            chunk: self.chunk,
            place: self.place.clone().page(self.pages),
            codec: Compression::UNCOMPRESSED,
            offset: 0,
            head,
            header: Some(header),
            body,
        });
        self.pages += 1;
        if self.waiting_bytes >= BATCH_BYTES {
            self.submit();
        }
        Ok(())
    }

    /// Submits the waiting pages to the router.
    pub fn submit(&mut self) {
        let pages = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        if !pages.is_empty() {
            let plain = pages.iter().map(|page| page.body.clone()).collect();
            self.batches.push(Compressing::start(pages, plain, self.packing, &self.router));
        }
    }

    /// Waits for the compressed pages, and returns them in the order of the file. `start` is the
    /// offset of the first in the layout of parquet-rs.
    ///
    /// # Errors
    /// A page can't be compressed.
    pub fn finish(&mut self, start: u64) -> Result<Vec<NewPage>> {
        self.submit();
        let mut pages = Vec::with_capacity(self.pages);
        for batch in std::mem::take(&mut self.batches) {
            pages.extend(futures::executor::block_on(batch.finish())?);
        }
        // parquet-rs puts the dictionary last, and the file has it first
        pages.sort_by_key(|page| !page.is_dictionary);
        let mut at = start;
        for page in &mut pages {
            page.offset = at;
            at += page.length;
        }
        Ok(pages)
    }
}
