//! Values to the places that a mask says.

use super::CHUNK;
use crate::hybrid::Part;
use crate::steps::Steps;
use crate::{Bitmap, Error, Source};

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
