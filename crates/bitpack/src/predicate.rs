//! The eight predicates, and their tests for values of some width.

/// Condition on a value. Values are unsigned, and ranges include both of their ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predicate {
    /// This value.
    Equal(u32),
    /// Any other value.
    NotEqual(u32),
    /// Smaller ones.
    Less(u32),
    /// Smaller ones and this.
    LessOrEqual(u32),
    /// Greater ones.
    Greater(u32),
    /// Greater ones and this.
    GreaterOrEqual(u32),
    /// From `low` to `high`; none if `low` is above `high`.
    Between {
        /// The least value.
        low: u32,
        /// The greatest value.
        high: u32,
    },
    /// Below `low` or above `high`; all if `low` is above `high`.
    Outside {
        /// The least value that fails.
        low: u32,
        /// The greatest value that fails.
        high: u32,
    },
}

impl Predicate {
    /// Returns whether a value passes.
    pub fn passes(self, value: u32) -> bool {
        match self {
            Predicate::Equal(of) => value == of,
            Predicate::NotEqual(of) => value != of,
            Predicate::Less(of) => value < of,
            Predicate::LessOrEqual(of) => value <= of,
            Predicate::Greater(of) => value > of,
            Predicate::GreaterOrEqual(of) => value >= of,
            Predicate::Between { low, high } => (low..=high).contains(&value),
            Predicate::Outside { low, high } => !(low..=high).contains(&value),
        }
    }

    /// Returns its test for values of `width` bits, at most 32.
    pub(crate) fn test(self, width: u32) -> Test {
        // `None`: no value.
        let (range, invert) = match self {
            Predicate::Equal(of) => (Some((of, of)), false),
            Predicate::NotEqual(of) => (Some((of, of)), true),
            Predicate::Less(of) => (of.checked_sub(1).map(|high| (0, high)), false),
            Predicate::LessOrEqual(of) => (Some((0, of)), false),
            Predicate::Greater(of) => (of.checked_add(1).map(|low| (low, u32::MAX)), false),
            Predicate::GreaterOrEqual(of) => (Some((of, u32::MAX)), false),
            Predicate::Between { low, high } => (Some((low, high)), false),
            Predicate::Outside { low, high } => (Some((low, high)), true),
        };
        let most = ((1u64 << width) - 1) as u32;
        match range.map(|(low, high)| (low, high.min(most))) {
            Some((0, high)) if high == most => Test::Constant(!invert),
            Some((low, high)) if low <= high => Test::Range(Within { low, span: high - low, invert }),
            _ => Test::Constant(invert),
        }
    }
}

/// A predicate for values of some width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Test {
    /// The same for every value.
    Constant(bool),
    /// One comparison.
    Range(Within),
}

/// `value - low <= span` without sign, or not: both ends of a range in one comparison. `low + span`
/// is a value of the source's width, so that this holds in lanes of any size that hold the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Within {
    pub low: u32,
    pub span: u32,
    pub invert: bool,
}

impl Within {
    /// Returns whether a value passes.
    #[inline(always)]
    pub fn passes(self, value: u32) -> bool {
        (value.wrapping_sub(self.low) <= self.span) != self.invert
    }

    /// Returns the bits to flip in 64 results of the comparison.
    #[inline(always)]
    pub fn flip(self) -> u64 {
        if self.invert { u64::MAX } else { 0 }
    }
}
