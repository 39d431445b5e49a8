//! Totals of groups, and counts of their rows.

/// Copies of the totals of few groups. Consecutive rows are often of the same group, and an
/// addition in memory has to wait for the one before it.
const COPIES: usize = 4;

/// Most groups with copies.
const MAX_COPIED: usize = 256;

/// Bits of the magnitude of values that are added in 64 bits.
const NARROW_BITS: u32 = 50;

/// Rows for which totals of narrow values stay within 64 bits.
const NARROW_ROWS: usize = 1 << (i64::BITS - 1 - NARROW_BITS);

/// Numbers that are added up.
pub trait Summand: Copy + Into<i128> {
    /// As [`Totals::add`]. It is compiled with this crate, for each type, and so for speed.
    fn add_to(totals: &mut Totals, values: &[Self], numbers: &[u32], groups: usize) -> bool;
}

macro_rules! summands {
    ($($t:ty),*) => {
        $(impl Summand for $t {
            fn add_to(totals: &mut Totals, values: &[Self], numbers: &[u32], groups: usize) -> bool {
                totals.add_values(values, numbers, groups)
            }
        })*
    };
}

summands!(i32, i64, u64, i128);

/// Totals of values that fit into 64 bits, in 128 bits. No count of rows overflows them.
#[derive(Debug, Default)]
pub struct Totals {
    totals: Vec<i128>,
    copies: Vec<i64>,
}

impl Totals {
    /// Adds each value to the total of its group. Returns false, and adds none, if a value needs
    /// more than 64 bits. `groups` is the count of all groups.
    pub fn add<T: Summand>(&mut self, values: &[T], numbers: &[u32], groups: usize) -> bool {
        T::add_to(self, values, numbers, groups)
    }

    fn add_values<T: Summand>(&mut self, values: &[T], numbers: &[u32], groups: usize) -> bool {
        self.totals.resize(groups.max(self.totals.len()), 0);
        if groups > MAX_COPIED {
            return self.add_to_many(values, numbers);
        }
        let mut done = 0;
        for (values, numbers) in values.chunks(NARROW_ROWS).zip(numbers.chunks(NARROW_ROWS)) {
            if !self.add_narrow(values, numbers, groups) && !self.add_to_many(values, numbers) {
                break;
            }
            done += values.len();
        }
        if done < values.len() {
            // back to the totals before the call
            for (&value, &number) in values[..done].iter().zip(numbers) {
                self.totals[number as usize] -= value.into();
            }
        }
        done == values.len()
    }

    /// Adds values whose magnitudes have few bits; returns false, and adds none, if one has more.
    fn add_narrow<T: Summand>(&mut self, values: &[T], numbers: &[u32], groups: usize) -> bool {
        self.copies.clear();
        self.copies.resize(groups * COPIES, 0);
        let copies = &mut self.copies[..];
        let mut beyond = 0;
        let mut add = |value: T, number: u32, copy: usize| {
            let value: i128 = value.into();
            beyond |= upper(value.wrapping_add(1 << NARROW_BITS), NARROW_BITS + 1);
            if let Some(total) = copies.get_mut(number as usize * COPIES + copy) {
                *total = total.wrapping_add(value as i64);
            }
        };
        let (fours, rest) = values.as_chunks::<COPIES>();
        let (number_fours, number_rest) = numbers.as_chunks::<COPIES>();
        for (four, numbers) in fours.iter().zip(number_fours) {
            for copy in 0..COPIES {
                add(four[copy], numbers[copy], copy);
            }
        }
        for (&value, &number) in rest.iter().zip(number_rest) {
            add(value, number, 0);
        }
        if beyond != 0 {
            return false;
        }
        for (total, copies) in self.totals.iter_mut().zip(self.copies.as_chunks::<COPIES>().0) {
            *total += copies.iter().map(|&copy| i128::from(copy)).sum::<i128>();
        }
        true
    }

    fn add_to_many<T: Summand>(&mut self, values: &[T], numbers: &[u32]) -> bool {
        let beyond = values.iter().fold(0, |beyond, &value| {
            beyond | upper(value.into().wrapping_add(1 << (i64::BITS - 1)), i64::BITS)
        });
        if beyond != 0 {
            return false;
        }
        for (&value, &number) in values.iter().zip(numbers) {
            if let Some(total) = self.totals.get_mut(number as usize) {
                *total = total.wrapping_add(value.into());
            }
        }
        true
    }

    /// Takes out the totals of all groups.
    pub fn take(&mut self, groups: usize) -> Vec<i128> {
        let mut totals = std::mem::take(&mut self.totals);
        totals.resize(groups, 0);
        totals
    }

    /// Returns the bytes of the totals.
    pub fn size(&self) -> usize {
        self.totals.capacity() * size_of::<i128>() + self.copies.capacity() * size_of::<i64>()
    }
}

/// Returns the bits of a value from `from` on.
#[inline]
fn upper(value: i128, from: u32) -> u64 {
    let (low, high) = (value as u64, (value >> 64) as u64);
    match from {
        64 => high,
        _ => low >> from | high,
    }
}

/// Adds the rows of each group to `counts`.
pub fn add_counts(counts: &mut Vec<u64>, numbers: &[u32], groups: usize) {
    counts.resize(groups.max(counts.len()), 0);
    if groups > MAX_COPIED {
        for &number in numbers {
            if let Some(count) = counts.get_mut(number as usize) {
                *count += 1;
            }
        }
        return;
    }
    let mut copies = [0u64; MAX_COPIED * COPIES];
    let (fours, rest) = numbers.as_chunks::<COPIES>();
    for four in fours {
        for (copy, &number) in four.iter().enumerate() {
            if let Some(count) = copies.get_mut(number as usize * COPIES + copy) {
                *count += 1;
            }
        }
    }
    for &number in rest {
        if let Some(count) = copies.get_mut(number as usize * COPIES) {
            *count += 1;
        }
    }
    for (count, copies) in counts.iter_mut().zip(copies.as_chunks::<COPIES>().0) {
        *count += copies.iter().sum::<u64>();
    }
}

#[cfg(test)]
mod tests;
