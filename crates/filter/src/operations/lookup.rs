//! Sets of values: which values are in one, and which there are.

use super::chunks;
use crate::hybrid::Part;
use crate::predicate::Predicate;
use crate::steps::Steps;
use crate::{Bitmap, Error, Source};

pub(crate) fn members<S: Steps>(
    steps: S,
    source: &Source<'_>,
    set: &Bitmap,
    out: &mut Bitmap,
) -> Result<(), Error> {
    // A set without gaps is a range, and an empty one a range without values.
    let (low, high) = set.first_one().zip(set.last_one()).unwrap_or((1, 0));
    if let (Ok(low), Ok(high)) = (u32::try_from(low), u32::try_from(high))
        && set.count_ones() == (high as usize + 1).saturating_sub(low as usize)
    {
        return super::scan(steps, source, Predicate::Between { low, high }, out);
    }
    let mut buffer = Vec::new();
    for part in source.parts() {
        match part? {
            Part::Run { value, len } => out.extend_run(set.get(value as usize), len),
            Part::Packed(packed) => out.append_with(packed.len(), |words| {
                chunks(steps, packed, &mut buffer, |values| {
                    values.chunks(64).for_each(|values| words.push(in_set(values, set)));
                });
            }),
        }
    }
    Ok(())
}

/// A bit for each of up to 64 values: whether it is in the set.
fn in_set(values: &[u32], set: &Bitmap) -> u64 {
    let words = set.words();
    values.iter().enumerate().fold(0, |bits, (i, &value)| {
        let word = words.get(value as usize / 64).copied().unwrap_or(0);
        bits | (word >> (value % 64) & 1) << i
    })
}

pub(crate) fn find_unique<S: Steps>(steps: S, source: &Source<'_>, out: &mut Bitmap) -> Result<(), Error> {
    let mut buffer = Vec::new();
    for part in source.parts() {
        match part? {
            Part::Run { value, .. } => out.set(value as usize),
            Part::Packed(packed) => chunks(steps, packed, &mut buffer, |values| {
                values.iter().for_each(|&value| out.set(value as usize));
            }),
        }
    }
    Ok(())
}
