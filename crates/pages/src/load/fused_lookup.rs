//! Columns whose codes a device looks up in a set while it decompresses them.

use bytes::Bytes;

use crate::decode::coded::CodedColumn;
use crate::decode::coded::CodedPage;
use crate::header::PageKind;
use crate::load::columns::LoadedColumns;
use crate::load::deferred::Found;
use crate::load::fetch::SlotState;
use crate::load::jobs::Body;
use crate::load::jobs::LoadedChunk;

/// What a device found in a page of codes.
pub(crate) struct LookedUp {
    /// The definition levels, of one bit; `None`: nothing is null.
    pub levels: Option<Bytes>,
    /// How many codes there are.
    pub codes: usize,
    /// A bit for each of them, whether it is in the set.
    pub bits: Bytes,
}

impl LoadedColumns {
    /// Whether pages of a leaf column are held back until somebody says what to look up in them.
    pub(crate) fn holds(&self, leaf: usize) -> bool {
        self.holding(leaf).is_some()
    }

    fn holding(&self, leaf: usize) -> Option<&LoadedChunk> {
        self.chunk(leaf).map(AsRef::as_ref).filter(|chunk| !chunk.held.is_empty())
    }

    /// Waits for the dictionary of a column, or for its failure, without blocking the thread.
    pub(crate) async fn dictionary(&self, leaf: usize) {
        let chunk = self.chunk(leaf);
        let first = chunk.and_then(|chunk| Some((chunk, chunk.pages.first()?.body.as_ref()?)));
        if let Some((chunk, Body::Job(number))) = first {
            chunk.inbox.arrived(*number).await;
        }
    }

    /// As [`dictionary`](Self::dictionary), of all columns.
    pub(crate) async fn dictionaries(&self) {
        for &leaf in &self.leaves {
            self.dictionary(leaf).await;
        }
    }

    /// Has the codes of the pages that are held back looked up in a set, a bit for each value of
    /// the dictionary. What is found, [`CodedColumn::looked_up`] says.
    pub(crate) fn look_up(&self, leaf: usize, set: &Bytes) {
        if let Some(chunk) = self.holding(leaf) {
            chunk.held.look_up(set);
        }
    }

    /// Has the pages that are held back decompressed like all others.
    pub(crate) fn release(&self, leaf: usize) {
        if let Some(chunk) = self.holding(leaf) {
            chunk.held.release();
        }
    }
}

impl CodedColumn {
    /// What a device found in a page, waiting for it; `None`: the page was not looked up, or that
    /// failed, and its bytes say more.
    pub(crate) fn looked_up(&self, page: &CodedPage) -> Option<LookedUp> {
        let page = &self.chunk.pages[page.index];
        let (SlotState::Read(header, bytes), Some(Body::Held(number))) = (&page.slot.state, &page.body)
        else {
            return None;
        };
        let levels = match header.kind {
            PageKind::DataV2 { definition_bytes, repetition_bytes, .. } if self.is_optional() => {
                let (from, to) = (repetition_bytes as usize, (repetition_bytes + definition_bytes) as usize);
                // the header's parser has seen to it that there are so many bytes
                Some(bytes.slice(from..to))
            }
            _ => None,
        };
        let Found { codes, bits } = self.chunk.held.found(*number)?;
        Some(LookedUp { levels, codes, bits })
    }
}
