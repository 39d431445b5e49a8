//! A part of some data that tells what all of it is like.

/// Bytes of a run.
const RUN: usize = 64;

/// By how much more each run is moved from the start of its part than the one before, for each one before it: odd, and prime to what [`runs`] divides it by.
const MOVED: usize = 37;

/// One run of bytes in each part of `every` runs.
///
/// All of its bytes follow one another, so that those of numbers of any width have their turn; and the distances from each run to the next are all different, so that so
/// have the bytes of records of hundreds: at equal ones, records about as wide, or as a half or a third of them, would show the same bytes in every run.
pub(crate) fn runs(uncompressed: &[u8], every: usize) -> impl Iterator<Item = &[u8]> {
    let every = every.max(1);
    uncompressed.chunks(RUN * every).enumerate().map(move |(number, part)| {
        let moved = MOVED * (number * (number + 1) / 2);
        let start = (moved % (RUN * (every - 1) + 1)).min(part.len().saturating_sub(RUN));
        &part[start..part.len().min(start + RUN)]
    })
}

#[cfg(test)]
mod tests;
