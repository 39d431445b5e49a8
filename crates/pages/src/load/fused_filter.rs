//! Fused decompress and filter: lookups in the deferred pages of loaded columns, and their results.

use bytes::Bytes;

use crate::decode::dictionary_column::DataPage;
use crate::decode::dictionary_column::DictionaryColumn;
use crate::header::PageKind;
use crate::load::columns::LoadedColumns;
use crate::load::deferred::MembershipBits;
use crate::load::fetch::SlotState;
use crate::load::loaded_chunk::Body;
use crate::load::loaded_chunk::LoadedChunk;

/// Result of a membership test on a page of dictionary indices.
pub(crate) struct Membership {
    /// The definition levels, of one bit; `None` if no value is null.
    pub levels: Option<Bytes>,
    /// Number of dictionary indices.
    pub index_count: usize,
    /// A bit for each index, set if the code set contains it.
    pub bits: Bytes,
}

impl LoadedColumns {
    /// Returns whether a leaf column has deferred pages.
    pub(crate) fn has_deferred(&self, leaf: usize) -> bool {
        self.with_deferred(leaf).is_some()
    }

    fn with_deferred(&self, leaf: usize) -> Option<&LoadedChunk> {
        self.chunk(leaf).map(AsRef::as_ref).filter(|chunk| !chunk.deferred.is_empty())
    }

    /// Waits until the dictionary of a column is decompressed, or failed, without blocking the
    /// thread.
    pub(crate) async fn dictionary(&self, leaf: usize) {
        let chunk = self.chunk(leaf);
        let first = chunk.and_then(|chunk| Some((chunk, chunk.pages.first()?.body.as_ref()?)));
        if let Some((chunk, Body::Job(number))) = first {
            chunk.completions.arrived(*number).await;
        }
    }

    /// Waits like [`dictionary`](Self::dictionary), for all columns.
    pub(crate) async fn dictionaries(&self) {
        for &leaf in &self.leaves {
            self.dictionary(leaf).await;
        }
    }

    /// Submits the deferred pages for a membership test. `set` has a bit for each value of the
    /// dictionary. [`DictionaryColumn::membership`] returns the results.
    pub(crate) fn test_membership(&self, leaf: usize, set: &Bytes) {
        if let Some(chunk) = self.with_deferred(leaf) {
            chunk.deferred.test_membership(set);
        }
    }

    /// Submits the deferred pages for ordinary decompression.
    pub(crate) fn release(&self, leaf: usize) {
        if let Some(chunk) = self.with_deferred(leaf) {
            chunk.deferred.release();
        }
    }
}

impl DictionaryColumn {
    /// Returns the result of a page's membership test, after waiting for it. `None` if the page was
    /// not tested or the test failed; the page can still be decompressed.
    pub(crate) fn membership(&self, page: &DataPage) -> Option<Membership> {
        let page = &self.chunk.pages[page.index];
        let (SlotState::Read(header, bytes), Some(Body::Deferred(number))) = (&page.slot.state, &page.body)
        else {
            return None;
        };
        let levels = match header.kind {
            PageKind::DataV2 { definition_bytes, repetition_bytes, .. } if self.is_optional() => {
                let (from, to) = (repetition_bytes as usize, (repetition_bytes + definition_bytes) as usize);
                // the header's parser checked these lengths against the page's size
                Some(bytes.slice(from..to))
            }
            _ => None,
        };
        let MembershipBits { index_count, bits } = self.chunk.deferred.found(*number)?;
        Some(Membership { levels, index_count, bits })
    }
}
