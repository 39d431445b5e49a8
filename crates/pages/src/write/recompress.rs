//! A window of pages, decompressed and compressed again by the router.

use bytes::Bytes;
use parquet::basic::Compression;
use pelton_codec::{Checksum, checksum};
use pelton_job::{Batch, Job, Outcome};

use super::source::RawPage;
use super::{Packing, RepackOptions, head};
use crate::error::{Cause, Error, Result};
use crate::header::PageKind;
use crate::read::{self, Work};

/// A page as it will be in the new file.
pub(super) struct NewPage {
    /// Row group and leaf column of its chunk.
    pub chunk: (usize, usize),
    /// Where its header starts in the old file.
    pub offset: u64,
    /// Bytes that it has in the old file, its header among them.
    pub length: u64,
    /// Bytes that it has when it is plain, without its header.
    pub plain: u64,
    pub is_dictionary: bool,
    pub head: Bytes,
    pub body: Bytes,
}

/// Decompresses all pages as one batch, then compresses them as another.
///
/// # Errors
/// A page can't be decompressed, or is too large for its header when it is compressed.
pub(super) async fn recompress(pages: Vec<RawPage>, options: &RepackOptions) -> Result<Vec<NewPage>> {
    let plain = decompress(&pages, options).await?;
    let bodies = compress(&pages, plain, options).await?;
    pages.into_iter().zip(bodies).map(|(page, body)| finish(page, body)).collect()
}

/// How many bytes of levels lie in front of a page's values and are not compressed.
fn levels(page: &RawPage) -> Option<usize> {
    match page.header?.kind {
        PageKind::DataV2 { definition_bytes, repetition_bytes, .. } => {
            Some((definition_bytes + repetition_bytes) as usize)
        }
        _ => None,
    }
}

/// The bytes of each page without compression, levels included.
async fn decompress(pages: &[RawPage], options: &RepackOptions) -> Result<Vec<Bytes>> {
    let mut works = Vec::with_capacity(pages.len());
    for page in pages {
        works.push(match &page.header {
            Some(header) => read::job(header, &page.body, page.codec, &page.place)?,
            None => Work::Stored(page.body.clone()),
        });
    }
    let jobs = works.iter().zip(pages).filter_map(|(work, page)| match work {
        Work::Stored(_) => None,
        Work::Compressed(_, job) => {
            Some(job.clone().with_hints(options.file.hints(page.chunk.0, page.chunk.1)))
        }
    });
    let mut ticket = options.router.submit(jobs.collect::<Batch>());
    let mut plain = Vec::with_capacity(pages.len());
    for (work, page) in works.into_iter().zip(pages) {
        plain.push(match work {
            Work::Stored(bytes) => bytes,
            Work::Compressed(..) => output(page, ticket.next().await)?,
        });
    }
    Ok(plain)
}

/// The output of a page's job.
fn output(page: &RawPage, outcome: Option<Outcome>) -> Result<Bytes> {
    let what = match outcome {
        Some(Ok(done)) => return Ok(done.output),
        Some(Err(e)) => e.to_string(),
        None => "the batch ended without this page".to_owned(),
    };
    Err(Error::new(page.place.clone(), Cause::Decompress(what)))
}

/// What follows a page's new header.
struct Body {
    bytes: Bytes,
    /// Whether the values among them are compressed. Pages of version 2 say so.
    is_compressed: bool,
}

async fn compress(pages: &[RawPage], plain: Vec<Bytes>, options: &RepackOptions) -> Result<Vec<Body>> {
    let jobs: Vec<Option<Job>> =
        pages.iter().zip(&plain).map(|(page, plain)| job(page, plain, options.packing)).collect();
    let mut ticket = options.router.submit(jobs.iter().flatten().cloned().collect::<Batch>());
    let mut bodies = Vec::with_capacity(pages.len());
    for ((page, plain), job) in pages.iter().zip(plain).zip(jobs) {
        let packed = match job {
            None => None,
            Some(_) => Some(output(page, ticket.next().await)?),
        };
        // version 2 can do without compression that gains nothing
        let packed = packed.filter(|packed| levels(page).is_none() || packed.len() < plain.len());
        bodies.push(match packed {
            Some(bytes) => Body { bytes, is_compressed: true },
            None => Body { bytes: plain, is_compressed: false },
        });
    }
    Ok(bodies)
}

/// The job that compresses a page's values behind its levels; `None` for a page that stays as it is.
fn job(page: &RawPage, plain: &Bytes, packing: Packing) -> Option<Job> {
    page.header?;
    let levels = levels(page);
    // nothing needs no compression: version 2 can say so, and one of version 1 stays empty that was so with a codec
    let was_empty = page.codec != Compression::UNCOMPRESSED && page.body.is_empty();
    if plain.len() == levels.unwrap_or(0) && (levels.is_some() || was_empty) {
        return None;
    }
    let levels = levels.unwrap_or(0);
    Some(packing.job(plain.slice(levels..))?.with_prefix(plain.slice(..levels)))
}

fn finish(page: RawPage, body: Body) -> Result<NewPage> {
    let length = (page.head.len() + page.body.len()) as u64;
    let RawPage { chunk, place, offset, head, header, .. } = page;
    let Some(header) = header else {
        let plain = body.bytes.len() as u64;
        let is_dictionary = false;
        return Ok(NewPage { chunk, offset, length, plain, is_dictionary, head, body: body.bytes });
    };
    let Ok(size) = i32::try_from(body.bytes.len()) else {
        let (size, limit) = (body.bytes.len() as u64, i32::MAX as u64);
        return Err(Error::new(place, Cause::TooLarge { what: "the compressed page", size, limit }));
    };
    let crc = header.crc.map(|_| checksum(Checksum::Crc32, &body.bytes) as u32);
    let new = head::rewrite(&head, size, crc, body.is_compressed);
    let head = new.map_err(|e| Error::new(place, Cause::BadHeader(e.to_string())))?;
    Ok(NewPage {
        chunk,
        offset,
        length,
        plain: header.uncompressed_size as u64,
        is_dictionary: matches!(header.kind, PageKind::Dictionary { .. }),
        head: head.into(),
        body: body.bytes,
    })
}
