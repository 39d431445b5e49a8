//! Operations that decode values, or expand them.

use std::ops::Range;

use super::CHUNK;
use crate::hybrid::Part;
use crate::steps::Steps;
use crate::{Bitmap, Error, Hybrid, Position, Source};

pub(crate) fn extract<S: Steps>(
    steps: S,
    source: &Source<'_>,
    rows: Range<usize>,
    out: &mut Vec<u32>,
) -> Result<(), Error> {
    let mut parts = source.parts();
    let mut end = 0;
    while end < rows.end {
        let Some(part) = parts.next().transpose()? else { break };
        let start = end;
        end += part.len();
        // The requested rows of this part.
        let (first, last) = (rows.start.max(start) - start, rows.end.min(end) - start);
        if first >= part.len() {
            continue;
        }
        values(steps, &part, first..last, out);
    }
    Ok(())
}

/// As [`extract`], for the next `count` values, which exist.
pub(crate) fn read<S: Steps>(
    steps: S,
    hybrid: &Hybrid<'_>,
    position: &mut Position,
    count: usize,
    out: &mut Vec<u32>,
) -> Result<(), Error> {
    let end = position.values() + count;
    while position.values() < end {
        let (part, rows) = position.advance(hybrid, end - position.values())?;
        values(steps, &part, rows, out);
    }
    Ok(())
}

/// Appends values of a part.
fn values<S: Steps>(steps: S, part: &Part<'_>, rows: Range<usize>, out: &mut Vec<u32>) {
    match part {
        Part::Run { value, .. } => out.resize(out.len() + rows.len(), *value),
        Part::Packed(packed) => {
            // Every eighth value starts with a byte, and steps start there.
            let aligned = rows.start.next_multiple_of(8).min(rows.end);
            out.extend((rows.start..aligned).map(|i| packed.value(i)));
            if aligned < rows.end {
                steps.unpack(packed.first(rows.end).from(aligned), out);
            }
        }
    }
}

pub(crate) fn greatest<S: Steps>(steps: S, values: &[u32]) -> u32 {
    steps.greatest(values)
}

pub(crate) fn select<S: Steps>(
    steps: S,
    source: &Source<'_>,
    mask: &Bitmap,
    out: &mut Vec<u32>,
) -> Result<(), Error> {
    let mut at = 0;
    for part in source.parts() {
        let part = part?;
        match part {
            Part::Run { value, len } => out.resize(out.len() + mask.count_ones_in(at, len), value),
            Part::Packed(packed) => steps.select(packed, mask, at, out),
        }
        at += part.len();
    }
    Ok(())
}

/// Appends values to the places that a mask gives them.
pub(crate) fn expand<S: Steps>(
    steps: S,
    source: &Source<'_>,
    mask: &Bitmap,
    out: &mut Vec<u32>,
) -> Result<(), Error> {
    out.reserve(mask.len());
    // Decoded values that still have to find their places; between chunks fewer than a word of the
    // mask needs.
    let mut waiting = Vec::with_capacity(CHUNK + 64);
    let mut at = 0;
    for part in source.parts() {
        let part = part?;
        for start in (0..part.len()).step_by(CHUNK) {
            match part {
                Part::Run { value, len } => waiting.resize(waiting.len() + CHUNK.min(len - start), value),
                Part::Packed(packed) => steps.unpack(packed.from(start).first(CHUNK), &mut waiting),
            }
            let (next, used) = steps.expand(&waiting, mask, at, out);
            at = next;
            waiting.drain(..used);
        }
    }
    // Zeros after the last value, and all of a mask that has no bit set.
    steps.expand(&waiting, mask, at, out);
    Ok(())
}
