//! Links to what is so near that no chain matches it.

use std::ops::Range;

use super::chains::Chains;
use crate::deflate::encoder::parser::greedy::{MAX_BACKWARD, SHORTEST};

/// Positions whose bytes are compared at a time where they are near.
const AT_ONCE: usize = 64;

impl Chains {
    /// Links positions to those [`Self::near`] bytes before them, if they have the same four bytes.
    #[inline(always)]
    pub(crate) fn link_near(&mut self, buffer: &[u8], range: Range<usize>) {
        let by = self.near;
        let first = range.start.max(MAX_BACKWARD + by);
        let end = range.end.min((buffer.len() + 1).saturating_sub(SHORTEST));
        if by == 0 || first >= end {
            return;
        }
        let places = self.place(first)..self.place(end);
        let (mut here, mut there) = (&buffer[first..], &buffer[first - by..]);
        // All ones where a byte is equal: in bytes, as vectors are compared.
        let mut equal = [0_u8; AT_ONCE + SHORTEST - 1];
        for distances in self.distances[places].chunks_mut(AT_ONCE) {
            let bytes = distances.len() + SHORTEST - 1;
            for ((equal, a), b) in equal.iter_mut().zip(&here[..bytes]).zip(&there[..bytes]) {
                *equal = if a == b { u8::MAX } else { 0 };
            }
            for (number, distance) in distances.iter_mut().enumerate() {
                let four = (0..SHORTEST).fold(u8::MAX, |four, byte| four & equal[number + byte]);
                // The highest bit everywhere.
                let four = four as i8 as u16;
                *distance = by as u16 & four | *distance & !four;
            }
            (here, there) = (&here[distances.len()..], &there[distances.len()..]);
        }
    }
}
