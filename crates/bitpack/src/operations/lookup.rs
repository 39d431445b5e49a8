//! Membership test: whether each value is in a set.

use super::chunks;
use crate::hybrid::Part;
use crate::predicate::{Predicate, Test};
use crate::steps::Steps;
use crate::{Bitmap, Error, Packed, Source};

/// Maximum ranges of values of a set that is tested by a scan for each range: several scans in
/// vectors take less time than looking up each value.
const MOST_RANGES: usize = 4;
/// Values that are scanned for all ranges before the next ones: packed, they stay in a second-level
/// cache. A multiple of 64.
const STRETCH: usize = 1 << 16;

/// Returns whether every value has a bit of the set.
pub(crate) fn members<S: Steps>(
    steps: S,
    source: &Source<'_>,
    set: &Bitmap,
    out: &mut Bitmap,
) -> Result<bool, Error> {
    // Made where the implementation has no step for the set.
    let mut tests = None;
    let mut buffer = Vec::new();
    let mut are_within = true;
    for part in source.parts() {
        match part? {
            Part::Run { value, len } => {
                are_within &= len == 0 || (value as usize) < set.len();
                out.extend_run(set.get(value as usize), len);
            }
            Part::Packed(packed) => out.append_with(packed.len(), |words| {
                if packed.is_empty() {
                    return;
                }
                if let Some(greatest) = steps.look_up(packed, set, words) {
                    are_within &= (greatest as usize) < set.len();
                    return;
                }
                let tests = tests.get_or_insert_with(|| {
                    ranges(set).map(|ranges| {
                        let tests = ranges.into_iter().map(|(low, high)| Predicate::Between { low, high });
                        tests.map(|predicate| predicate.test(source.width().min(32))).collect::<Vec<_>>()
                    })
                });
                are_within &= match tests {
                    Some(tests) => {
                        in_ranges(steps, packed, tests, words);
                        is_within(steps, packed, set)
                    }
                    None => {
                        let (mut words, mut greatest) = (words.iter_mut(), 0);
                        chunks(steps, packed, &mut buffer, |values| {
                            greatest = greatest.max(steps.greatest(values));
                            values
                                .chunks(64)
                                .zip(&mut words)
                                .for_each(|(values, word)| *word = in_set(values, set));
                        });
                        (greatest as usize) < set.len()
                    }
                };
            }),
        }
    }
    Ok(are_within)
}

/// Returns whether every value has a bit of the set.
fn is_within<S: Steps>(steps: S, packed: Packed<'_>, set: &Bitmap) -> bool {
    let Ok(len) = u32::try_from(set.len()) else { return true };
    match Predicate::GreaterOrEqual(len).test(packed.width()) {
        Test::Constant(beyond) => !beyond,
        Test::Range(beyond) => {
            let mut found = [0; STRETCH / 64];
            (0..packed.len()).step_by(STRETCH).all(|start| {
                let part = packed.from(start).first(STRETCH);
                let words = &mut found[..part.len().div_ceil(64)];
                steps.scan(part, beyond, words);
                // The last word's bits after the last value may be anything.
                let rest = part.len() % 64;
                if let Some(last) = words.last_mut().filter(|_| rest > 0) {
                    *last &= !(u64::MAX << rest);
                }
                words.iter().all(|&word| word == 0)
            })
        }
    }
}

/// Returns the first and the last value of each range of a set, if the ranges are few.
fn ranges(set: &Bitmap) -> Option<Vec<(u32, u32)>> {
    // Places of bits that differ from the one before.
    let mut edges = Vec::new();
    let mut last = 0;
    for (i, &word) in set.words().iter().enumerate() {
        let mut unlike = word ^ (word << 1 | last);
        last = word >> 63;
        while unlike != 0 {
            if edges.len() == 2 * MOST_RANGES {
                return None;
            }
            edges.push(i * 64 + unlike.trailing_zeros() as usize);
            unlike &= unlike - 1;
        }
    }
    // A range that the last bit belongs to ends with the set.
    let ends = edges.iter().skip(1).copied().chain([set.len()]).step_by(2);
    let ranges = edges.iter().step_by(2).zip(ends);
    // No value is beyond 32 bits.
    Some(
        ranges
            .filter_map(|(&low, end)| {
                Some((u32::try_from(low).ok()?, u32::try_from(end - 1).unwrap_or(u32::MAX)))
            })
            .collect(),
    )
}

/// Writes a bit for each value: whether it passes one of the tests.
fn in_ranges<S: Steps>(steps: S, packed: Packed<'_>, tests: &[Test], words: &mut [u64]) {
    words.fill(0);
    let mut found = vec![0; words.len().min(STRETCH / 64)];
    for (i, words) in words.chunks_mut(STRETCH / 64).enumerate() {
        let packed = packed.from(i * STRETCH).first(STRETCH);
        for test in tests {
            match *test {
                Test::Constant(false) => {}
                Test::Constant(true) => words.fill(u64::MAX),
                Test::Range(within) => {
                    let found = &mut found[..words.len()];
                    steps.scan(packed, within, found);
                    words.iter_mut().zip(found).for_each(|(word, found)| *word |= *found);
                }
            }
        }
    }
}

/// Returns a bit for each of up to 64 values: whether it is in the set.
fn in_set(values: &[u32], set: &Bitmap) -> u64 {
    let words = set.words();
    values.iter().enumerate().fold(0, |bits, (i, &value)| {
        let word = words.get(value as usize / 64).copied().unwrap_or(0);
        bits | (word >> (value % 64) & 1) << i
    })
}
