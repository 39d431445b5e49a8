//! Aggregates of values, as in a completion record of the IAA.

/// Extremes, sum and ends of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aggregates {
    /// The least value.
    pub min: u32,
    /// The greatest value.
    pub max: u32,
    /// The sum, which wraps. The IAA's record has its low 32 bits.
    pub sum: u64,
    /// The first value.
    pub first: u32,
    /// The last value.
    pub last: u32,
}

impl Aggregates {
    /// Returns the aggregates of values; `None` if there are none.
    pub fn of(values: &[u32]) -> Option<Self> {
        let (&first, &last) = (values.first()?, values.last()?);
        let mut all = Self::of_run(first, 1);
        // Separate loops, so that the compiler vectorises them.
        all.min = values.iter().fold(first, |least, &value| least.min(value));
        all.max = values.iter().fold(first, |most, &value| most.max(value));
        all.sum = values.iter().fold(0, |sum, &value| sum.wrapping_add(u64::from(value)));
        all.last = last;
        Some(all)
    }

    /// Returns the aggregates of `len` times the same value; `len` is not 0.
    pub(crate) fn of_run(value: u32, len: usize) -> Self {
        let sum = u64::from(value).wrapping_mul(len as u64);
        Aggregates { min: value, max: value, sum, first: value, last: value }
    }

    /// Returns the aggregates of these values and then others.
    pub(crate) fn then(self, next: Self) -> Self {
        Aggregates {
            min: self.min.min(next.min),
            max: self.max.max(next.max),
            sum: self.sum.wrapping_add(next.sum),
            first: self.first,
            last: next.last,
        }
    }
}
