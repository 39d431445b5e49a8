//! Search of the sequential parser: the longest match at a position.

use super::links::{DISTANCE, HASHED, Links, NONE, OTHER};
use crate::deflate::encoder::match_finder::extend::common_prefix_len;
use crate::deflate::encoder::symbols::{MAX_MATCH, MIN_MATCH};

/// A match; none if its length is 0.
#[derive(Clone, Copy, Default)]
pub(super) struct Found {
    pub(super) len: usize,
    pub(super) distance: usize,
}

/// View of the links for searches in a buffer.
pub(crate) struct Search<'a> {
    buffer: &'a [u8],
    of_four: &'a [u16; 1 << 16],
    of_three: Option<&'a [u16; 1 << 16]>,
    window: usize,
    /// A match of this length ends a search.
    nice: usize,
}

impl<'a> Search<'a> {
    pub(super) fn new(links: &'a Links, buffer: &'a [u8], window: usize, nice: usize) -> Self {
        let sized = |table: &'a [u16]| table.try_into().expect("the memory was reserved");
        Self {
            buffer,
            of_four: sized(&links.of_four),
            of_three: links.has_three.then(|| sized(&links.of_three)),
            window,
            nice,
        }
    }

    #[inline(always)]
    fn word(&self, at: usize) -> u32 {
        let bytes = &self.buffer[at..at + 4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// As `extend::common_prefix_len`, faster for short prefixes.
    #[inline(always)]
    fn common_prefix_len(&self, candidate: usize, at: usize, limit: usize) -> usize {
        if limit < 8 {
            return common_prefix_len(self.buffer, candidate, at, limit);
        }
        let differ = self.eight(candidate) ^ self.eight(at);
        if differ != 0 {
            return differ.trailing_zeros() as usize / 8;
        }
        8 + common_prefix_len(self.buffer, candidate + 8, at + 8, limit - 8)
    }

    #[inline(always)]
    fn eight(&self, at: usize) -> u64 {
        let mut eight = [0; 8];
        eight.copy_from_slice(&self.buffer[at..at + 8]);
        u64::from_le_bytes(eight)
    }

    /// Returns whether a position has a link to one with the same bytes.
    #[inline(always)]
    pub(super) fn has_link(&self, at: usize) -> bool {
        let three = self.of_three.map_or(NONE, |of_three| of_three[usize::from(at as u16)]);
        self.of_four[usize::from(at as u16)] & OTHER == 0 || three != NONE
    }

    /// Returns the longest match at a position that is longer than `longer_than`, among `depth`
    /// candidates, the nearest of equal length. The last candidates are those at the distances
    /// `others`, if these are not 0.
    #[inline(always)]
    pub(super) fn longest(&self, at: usize, longer_than: usize, depth: usize, others: [usize; 2]) -> Found {
        let mut best = Found { len: longer_than, distance: 0 };
        let limit = MAX_MATCH.min(self.buffer.len() - at);
        if limit < HASHED || best.len >= limit {
            return Found::default();
        }
        let reach = self.window.min(at);
        let word = self.word(at);
        if best.len < MIN_MATCH
            && let Some(of_three) = self.of_three
        {
            let distance = usize::from(of_three[usize::from(at as u16)]) + 1;
            if distance <= reach && (self.word(at - distance) ^ word) << 8 == 0 {
                best = Found { len: MIN_MATCH, distance };
            }
        }
        let nice = self.nice.min(limit);
        best.len = best.len.max(HASHED - 1);
        let mut far = 0;
        let mut step = self.of_four[usize::from(at as u16)];
        let mut tail = self.word(at + best.len + 1 - HASHED);
        for _ in 0..depth {
            far += usize::from(step & DISTANCE) + 1;
            if far > reach {
                break;
            }
            let candidate = at - far;
            step = self.of_four[usize::from(candidate as u16)];
            if self.word(candidate + best.len + 1 - HASHED) != tail {
                continue;
            }
            let len = self.common_prefix_len(candidate, at, limit);
            if len > best.len {
                best = Found { len, distance: far };
                if len >= nice {
                    break;
                }
                tail = self.word(at + best.len + 1 - HASHED);
            }
        }
        // After the nearer ones, which have shorter codes.
        for other in others {
            if other > 0 && other <= reach && best.len < nice && self.word(at - other) == word {
                let len = self.common_prefix_len(at - other, at, limit);
                if len > best.len {
                    best = Found { len, distance: other };
                }
            }
        }
        if best.distance == 0 { Found::default() } else { best }
    }
}
