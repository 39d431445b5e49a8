//! Recompression of a batch of pages by the router.

use bytes::Bytes;
use pelton_codec::Format;
use pelton_job::{Batch, Job, JobResult};

use super::RepackOptions;
use super::compress::{Compressing, NewPage, completed};
use super::source::RawPage;
use crate::decompression;
use crate::error::{Cause, Error, Result};
use crate::load::jobs::{self, Work};

/// Decompresses all pages as one batch, then compresses them as another.
///
/// # Errors
/// A page can't be decompressed, or is too large for its header when it is compressed.
pub(super) async fn recompress(pages: Vec<RawPage>, options: &RepackOptions) -> Result<Vec<NewPage>> {
    let uncompressed = decompress(&pages, options).await?;
    Compressing::start(pages, uncompressed, options.packing, &options.router).finish().await
}

/// Returns the uncompressed bytes of each page, including levels.
async fn decompress(pages: &[RawPage], options: &RepackOptions) -> Result<Vec<Bytes>> {
    let mut works = Vec::with_capacity(pages.len());
    for page in pages {
        works.push(match &page.header {
            Some(header) => jobs::job(header, &page.body, page.codec, &page.place)?,
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
    let mut uncompressed = Vec::with_capacity(pages.len());
    for (work, page) in works.into_iter().zip(pages) {
        uncompressed.push(match work {
            Work::Stored(bytes) => bytes,
            Work::Compressed(format, job) => decompressed(page, format, &job, ticket.next().await)?,
        });
    }
    Ok(uncompressed)
}

/// Returns the bytes of a page. Compressed data must fill the whole input.
fn decompressed(page: &RawPage, format: Format, job: &Job, outcome: Option<JobResult>) -> Result<Bytes> {
    let done = completed(page, outcome)?;
    decompression::whole(format, job.input.len(), done)
        .map_err(|what| Error::new(page.place.clone(), Cause::Decompress(what)))
}
