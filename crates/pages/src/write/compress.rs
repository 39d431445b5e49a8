//! Compression of pages as a batch of jobs, and their new headers.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use pelton_codec::{Checksum, checksum};
use pelton_job::{Batch, Job, JobOutput, JobResult, Router, Ticket};

use super::Packing;
use super::edit::{self, Field, edit};
use super::source::RawPage;
use crate::error::{Cause, Error, Result};
use crate::header::PageKind;
use crate::header::thrift::{Reader, kind};

/// Field ids (parquet.thrift, `PageHeader` and `DataPageHeaderV2`).
mod id {
    pub const COMPRESSED_SIZE: i16 = 3;
    pub const CRC: i16 = 4;
    pub const DATA_V2: i16 = 8;
    pub const IS_COMPRESSED: i16 = 7;
}

/// A page of the new file.
pub(super) struct NewPage {
    /// Row group and leaf column of its chunk.
    pub chunk: (usize, usize),
    /// Where its header starts in the old file.
    pub offset: u64,
    /// Its bytes in the old file, including the header.
    pub length: u64,
    /// Its uncompressed bytes, without the header.
    pub uncompressed: u64,
    pub is_dictionary: bool,
    pub head: Bytes,
    pub body: Bytes,
}

/// Pages that are being compressed.
pub(super) struct Compressing {
    pages: Vec<RawPage>,
    /// Uncompressed bytes of each page, including levels.
    uncompressed: Vec<Bytes>,
    /// One flag a page: it has a job.
    has_job: Vec<bool>,
    ticket: Ticket,
}

impl Compressing {
    /// Submits the pages as one batch; `uncompressed` has the bytes of each.
    pub fn start(
        pages: Vec<RawPage>,
        uncompressed: Vec<Bytes>,
        packing: Packing,
        router: &Arc<Router>,
    ) -> Self {
        let jobs: Vec<Option<Job>> = pages
            .iter()
            .zip(&uncompressed)
            .map(|(page, uncompressed)| job(page, uncompressed, packing))
            .collect();
        let has_job = jobs.iter().map(Option::is_some).collect();
        let ticket = router.submit(jobs.into_iter().flatten().collect::<Batch>());
        Self { pages, uncompressed, has_job, ticket }
    }

    /// Waits for the compressed pages, and returns them in order with new headers.
    ///
    /// # Errors
    /// A page can't be compressed, or its compressed size exceeds the header's field.
    pub async fn finish(mut self) -> Result<Vec<NewPage>> {
        let mut done = Vec::with_capacity(self.pages.len());
        for ((page, uncompressed), has_job) in self.pages.into_iter().zip(self.uncompressed).zip(self.has_job)
        {
            let compressed = match has_job {
                false => None,
                true => Some(completed(&page, self.ticket.next().await)?.output),
            };
            // pages of version 2 may store values that compression does not shorten
            let compressed = compressed.map(|compressed| bare(compressed, levels(&page).unwrap_or(0)));
            let compressed = compressed
                .filter(|compressed| levels(&page).is_none() || compressed.len() < uncompressed.len());
            let body = match compressed {
                Some(bytes) => Body { bytes, is_compressed: true },
                None => Body { bytes: uncompressed, is_compressed: false },
            };
            done.push(finish(page, body)?);
        }
        Ok(done)
    }
}

/// Returns the output of a page's job.
///
/// # Errors
/// The job failed.
pub(super) fn completed(page: &RawPage, outcome: Option<JobResult>) -> Result<JobOutput> {
    let what = match outcome {
        Some(Ok(done)) => return Ok(done),
        Some(Err(e)) => e.to_string(),
        None => "the batch ended without this page".to_owned(),
    };
    Err(Error::new(page.place.clone(), Cause::Decompress(what)))
}

/// Returns the bytes of levels, which are not compressed, of a page of version 2; `None` for other
/// pages.
fn levels(page: &RawPage) -> Option<usize> {
    match page.header?.kind {
        PageKind::DataV2 { definition_bytes, repetition_bytes, .. } => {
            Some((definition_bytes + repetition_bytes) as usize)
        }
        _ => None,
    }
}

/// Removes the extra field from a page's gzip header (RFC 1952, section 2.3.1.1). Devices may store
/// the window there, DuckDB's reader refuses it, and the footer names the window anyway. Pages of
/// other formats do not match and are returned unchanged.
pub(super) fn bare(page: Bytes, levels: usize) -> Bytes {
    // ID1, ID2, CM and the flags, here FEXTRA alone; the length of the extra field follows the
    // fixed header
    let Some(&[0x1f, 0x8b, 8, 4, t0, t1, t2, t3, xfl, os, low, high]) = page.get(levels..levels + 12) else {
        return page;
    };
    let Some(stream) = page.get(levels + 12 + usize::from(u16::from_le_bytes([low, high]))..) else {
        return page;
    };
    [&page[..levels], &[0x1f, 0x8b, 8, 0, t0, t1, t2, t3, xfl, os], stream].concat().into()
}

/// Body of a page, behind its new header.
struct Body {
    bytes: Bytes,
    /// Flag of pages of version 2: the values are compressed.
    is_compressed: bool,
}

/// Returns the job that compresses a page's values, with its levels as prefix; `None` for a page
/// that is stored uncompressed or copied.
fn job(page: &RawPage, uncompressed: &Bytes, packing: Packing) -> Option<Job> {
    page.header?;
    let levels = levels(page);
    // An empty body needs no job: version 2 has a flag for that, and an empty page of version 1 was
    // valid with its codec before.
    let was_empty = page.codec != Compression::UNCOMPRESSED && page.body.is_empty();
    if uncompressed.len() == levels.unwrap_or(0) && (levels.is_some() || was_empty) {
        return None;
    }
    let levels = levels.unwrap_or(0);
    Some(packing.job(uncompressed.slice(levels..))?.with_prefix(uncompressed.slice(..levels)))
}

fn finish(page: RawPage, body: Body) -> Result<NewPage> {
    let length = (page.head.len() + page.body.len()) as u64;
    let RawPage { chunk, place, offset, head, header, .. } = page;
    let Some(header) = header else {
        let uncompressed = body.bytes.len() as u64;
        let is_dictionary = false;
        return Ok(NewPage { chunk, offset, length, uncompressed, is_dictionary, head, body: body.bytes });
    };
    let Ok(size) = i32::try_from(body.bytes.len()) else {
        let (size, limit) = (body.bytes.len() as u64, i32::MAX as u64);
        return Err(Error::new(place, Cause::TooLarge { what: "the compressed page", size, limit }));
    };
    let crc = header.crc.map(|_| checksum(Checksum::Crc32, &body.bytes) as u32);
    let new = rewrite_header(&head, size, crc, body.is_compressed);
    let head = new.map_err(|e| Error::new(place, Cause::BadHeader(e.to_string())))?;
    Ok(NewPage {
        chunk,
        offset,
        length,
        uncompressed: header.uncompressed_size as u64,
        is_dictionary: matches!(header.kind, PageKind::Dictionary { .. }),
        head: head.into(),
        body: body.bytes,
    })
}

/// Returns the header `head` with the size of a new body, and with its CRC-32 if the old header has
/// one. `is_compressed` is stored in pages of version 2 only.
fn rewrite_header(head: &[u8], size: i32, crc: Option<u32>, is_compressed: bool) -> edit::Result<Vec<u8>> {
    edit(&mut Reader::new(head), &[], |reader, id, kind| {
        Ok(match (id, kind) {
            (id::COMPRESSED_SIZE, _) => Field::I32(size),
            (id::CRC, _) => crc.map_or(Field::Keep, |crc| Field::I32(crc as i32)),
            (id::DATA_V2, kind::STRUCT) => {
                // compressed is the default
                let missing: &[_] =
                    if is_compressed { &[] } else { &[(id::IS_COMPRESSED, Field::Bool(false))] };
                let bytes = edit(reader, missing, |_, id, _| {
                    Ok(if id == id::IS_COMPRESSED { Field::Bool(is_compressed) } else { Field::Keep })
                })?;
                Field::Bytes(kind, bytes)
            }
            _ => Field::Keep,
        })
    })
}

#[cfg(test)]
mod tests;
