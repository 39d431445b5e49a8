//! Filter operations on the elements of source 1: scan, selection, repetition and sets.

use pelton_device_iaa::hw::AnalyticsError;
use pelton_device_iaa::hw::aecs::decompress::HISTORY_BYTES;

use super::Job;

/// Maximum repetition of an element with counts that are offsets (Intel's library documents it).
const MAX_REPEAT: u32 = 65_535;

/// Writes a bit for each element: whether it is in the range.
pub(super) fn scan(job: &mut Job<'_>) -> Result<(), AnalyticsError> {
    for _ in 0..job.elements {
        let value = job.values.next()?;
        job.output.push(u32::from((job.low..=job.high).contains(&value)))?;
    }
    Ok(())
}

/// Writes the elements with a position in the range. Positions start at 0, without the output
/// modifier.
pub(super) fn extract(job: &mut Job<'_>) -> Result<(), AnalyticsError> {
    for position in 0..job.elements {
        let value = job.values.next()?;
        if (job.low..=job.high).contains(&position) {
            job.output.push(value)?;
        }
    }
    Ok(())
}

/// Writes the elements at the set bits of the mask.
pub(super) fn select(job: &mut Job<'_>) -> Result<(), AnalyticsError> {
    for _ in 0..job.elements {
        let value = job.values.next()?;
        if next_of_second(job)? == 1 {
            job.output.push(value)?;
        }
    }
    Ok(())
}

/// Writes the next element for each set bit of the mask, and zero for the others.
pub(super) fn expand(job: &mut Job<'_>) -> Result<(), AnalyticsError> {
    for _ in 0..job.elements {
        let value = if next_of_second(job)? == 1 { job.values.next()? } else { 0 };
        job.output.push(value)?;
    }
    Ok(())
}

/// Writes each element of source 2 as often as source 1 tells: by counts or, at the largest width,
/// by the differences of offsets. There is one offset more than elements.
///
/// Assumptions: offsets may not decrease, and a count over the limit is a bad length.
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

/// Maximum width of a value in a set: Intel's library has a set of 4 KB with a bit for each value,
/// the size of the history.
pub(super) const MAX_BITS: u32 = (HISTORY_BYTES * 8).ilog2();

/// Returns the next element's position in the set, without the dropped bits.
fn place(job: &mut Job<'_>) -> Result<usize, AnalyticsError> {
    let value = job.values.next()?;
    let kept = job.values.width() - job.flags.drop_high;
    Ok(((value & (u32::MAX >> (u32::BITS - kept))) >> job.flags.drop_low) as usize)
}

/// Returns the number of values in a set.
fn size(job: &Job<'_>) -> usize {
    1 << (job.values.width() - job.flags.drop_low - job.flags.drop_high)
}

/// Writes a bit for each element: whether it is in the set of source 2.
pub(super) fn members(job: &mut Job<'_>) -> Result<(), AnalyticsError> {
    let set: Option<Vec<u32>> = (0..size(job)).map(|_| job.second.next()).collect();
    let set = set.ok_or(AnalyticsError::Source2TooSmall)?;
    for _ in 0..job.elements {
        let place = place(job)?;
        job.output.push(set[place])?;
    }
    Ok(())
}

/// Writes the set of the elements.
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
