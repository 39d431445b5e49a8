//! Filters with a set of values, which is a bit for each of them.

use pelton_device_iaa::hw::AnalyticsError;
use pelton_device_iaa::hw::aecs::decompress::HISTORY_BYTES;

use super::Job;

/// Bits of the widest value in a set, 15: Intel's library has 4 KB for one, a bit for each value,
/// which is the history's size.
pub(super) const MAX_BITS: u32 = (HISTORY_BYTES * 8).ilog2();

/// The next element's place in the set: the element without the bits that are dropped.
fn place(job: &mut Job<'_>) -> Result<usize, AnalyticsError> {
    let value = job.values.next()?;
    let kept = job.values.width() - job.flags.drop_high;
    Ok(((value & (u32::MAX >> (u32::BITS - kept))) >> job.flags.drop_low) as usize)
}

/// How many values a set has room for.
fn size(job: &Job<'_>) -> usize {
    1 << (job.values.width() - job.flags.drop_low - job.flags.drop_high)
}

/// A bit for each element: whether it is in the set of source 2.
pub(super) fn members(job: &mut Job<'_>) -> Result<(), AnalyticsError> {
    let set: Option<Vec<u32>> = (0..size(job)).map(|_| job.second.next()).collect();
    let set = set.ok_or(AnalyticsError::Source2TooSmall)?;
    for _ in 0..job.elements {
        let place = place(job)?;
        job.output.push(set[place])?;
    }
    Ok(())
}

/// The set of the elements.
pub(super) fn unique(job: &mut Job<'_>) -> Result<(), AnalyticsError> {
    let mut set = vec![0; size(job)];
    for _ in 0..job.elements {
        let place = place(job)?;
        set[place] = 1;
    }
    set.into_iter().try_for_each(|bit| job.output.push(bit))
}
