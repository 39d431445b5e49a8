//! Filters whose output follows the elements of source 1, or those of a mask.

use pelton_device_iaa::hw::AnalyticsError;
use pelton_device_iaa::hw::aecs::decompress::HISTORY_BYTES;

use super::Job;

/// The most often that an element is repeated where the counts are 32 bits wide and add up (Intel's
/// library documents it).
const MAX_REPEAT: u32 = 65_535;

/// A bit for each element: whether it is in the range.
pub(super) fn scan(job: &mut Job<'_>) -> Result<(), AnalyticsError> {
    for _ in 0..job.elements {
        let value = job.values.next()?;
        job.output.push(u32::from((job.low..=job.high).contains(&value)))?;
    }
    Ok(())
}

/// The elements whose position is in the range. Positions begin at 0, whatever the output modifier
/// is.
pub(super) fn extract(job: &mut Job<'_>) -> Result<(), AnalyticsError> {
    for position in 0..job.elements {
        let value = job.values.next()?;
        if (job.low..=job.high).contains(&position) {
            job.output.push(value)?;
        }
    }
    Ok(())
}

/// The elements whose bit in the mask is set.
pub(super) fn select(job: &mut Job<'_>) -> Result<(), AnalyticsError> {
    for _ in 0..job.elements {
        let value = job.values.next()?;
        if next_of_second(job)? == 1 {
            job.output.push(value)?;
        }
    }
    Ok(())
}

/// For each bit of the mask the next element if it is set, else 0.
pub(super) fn expand(job: &mut Job<'_>) -> Result<(), AnalyticsError> {
    for _ in 0..job.elements {
        let value = if next_of_second(job)? == 1 { job.values.next()? } else { 0 };
        job.output.push(value)?;
    }
    Ok(())
}

/// Each element of source 2 as often as source 1 says: by a count each or, 32 bits wide, by how far
/// the next of a row of sums is from the one before. The row has one element more than source 2.
///
/// That the row may not go back, and that a count over the limit is a bad length, are assumptions.
pub(super) fn burst(job: &mut Job<'_>) -> Result<(), AnalyticsError> {
    let adds_up = job.values.width() == u32::BITS;
    let mut before = if adds_up { job.values.next()? } else { 0 };
    for _ in u32::from(adds_up)..job.elements {
        let value = next_of_second(job)?;
        let mut count = job.values.next()?;
        if adds_up {
            (before, count) = (count, count.wrapping_sub(before));
        }
        if count > MAX_REPEAT {
            return Err(AnalyticsError::BadLength);
        }
        for _ in 0..count {
            job.output.push(value)?;
        }
    }
    Ok(())
}

fn next_of_second(job: &mut Job<'_>) -> Result<u32, AnalyticsError> {
    job.second.next().ok_or(AnalyticsError::Source2TooSmall)
}

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

#[cfg(test)]
mod tests;
