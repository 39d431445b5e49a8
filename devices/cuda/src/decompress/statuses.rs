//! Results of a batch's pages.

use std::sync::Arc;

use super::layout::PageResult;
use crate::{Buffer, Error, Result, Status, Stream, code_text, from_bytes};

/// Results of a batch's pages, in the GPU's memory.
pub struct Statuses {
    buffer: Arc<Buffer>,
    /// Where the pages' results start.
    results: usize,
    count: usize,
}

/// Fault of a page with wrong bytes: the first that was noticed in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("page {index} of the batch: {}", code_text(*code).unwrap_or("an unknown code; this is a bug in Pelton"))]
pub struct PageFault {
    /// Its place in the batch.
    pub index: usize,
    /// One of [`CODES`](crate::CODES).
    pub code: u32,
}

/// Result of one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageOutcome {
    /// Zero, or one of [`CODES`](crate::CODES).
    pub code: u32,
    /// Bytes written. They are correct even if the page gave too few.
    pub produced: u32,
    /// Bytes of the source that were used.
    pub consumed: u32,
}

impl Statuses {
    pub(super) fn new(buffer: Arc<Buffer>, results: usize, count: usize) -> Statuses {
        Statuses { buffer, results, count }
    }

    /// Waits for the batch, and returns a page's fault if there is one.
    ///
    /// # Errors
    /// The device fails.
    pub fn check(&self, stream: &Stream) -> Result<Result<(), PageFault>> {
        let bytes = stream.download(&self.buffer, 0..size_of::<Status>())?;
        let status = from_bytes::<Status>(&bytes).and_then(|statuses| statuses.first().copied());
        let Status { code, page, .. } = status.unwrap_or_default();
        Ok(if code == 0 { Ok(()) } else { Err(PageFault { index: page as usize, code }) })
    }

    /// Waits for the batch, and returns the result of each page, in the order of the tasks.
    ///
    /// # Errors
    /// The device fails.
    pub fn outcomes(&self, stream: &Stream) -> Result<Vec<PageOutcome>> {
        let end = self.results + self.count * size_of::<PageResult>();
        let bytes = stream.download(&self.buffer, self.results..end)?;
        let results = from_bytes::<PageResult>(&bytes)
            .ok_or(Error::BadCall { what: format!("{} bytes of results", bytes.len()) })?;
        let outcome = |PageResult { code, produced, consumed, .. }| PageOutcome { code, produced, consumed };
        Ok(results.into_iter().map(outcome).collect())
    }
}

impl std::fmt::Debug for Statuses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Statuses({} pages)", self.count)
    }
}
