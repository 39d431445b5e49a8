//! The operations on runs and on stretches of packed values, over the steps of an implementation.

mod decode;
mod lookup;

use crate::hybrid::Part;
use crate::predicate::Test;
use crate::steps::Steps;
use crate::{Bitmap, Error, Packed, Predicate, Source};

pub(crate) use decode::{expand, extract, greatest, read, select};
pub(crate) use lookup::members;

/// Values that are decoded at once where an operation needs them decoded: 4 KiB, which stay in the
/// first-level cache. A multiple of 64, so that each chunk starts with a byte and gives whole
/// words.
const CHUNK: usize = 1024;

pub(crate) fn scan<S: Steps>(
    steps: S,
    source: &Source<'_>,
    predicate: Predicate,
    out: &mut Bitmap,
) -> Result<(), Error> {
    // A width that is too large is an error of the first part.
    let test = predicate.test(source.width().min(32));
    for part in source.parts() {
        match (part?, test) {
            (Part::Run { value, len }, _) => out.extend_run(predicate.passes(value), len),
            (Part::Packed(packed), Test::Constant(passes)) => out.extend_run(passes, packed.len()),
            (Part::Packed(packed), Test::Range(within)) => {
                out.append_with(packed.len(), |words| steps.scan(packed, within, words));
            }
        }
    }
    Ok(())
}

/// Decodes packed values into `buffer`, a chunk at a time, and hands each chunk on.
fn chunks<S: Steps>(steps: S, packed: Packed<'_>, buffer: &mut Vec<u32>, mut each: impl FnMut(&[u32])) {
    for start in (0..packed.len()).step_by(CHUNK) {
        buffer.clear();
        steps.unpack(packed.from(start).first(CHUNK), buffer);
        each(buffer);
    }
}
