//! Conditions on elements, and their form for the device: a range with both ends, possibly
//! inverted.

/// A condition on an unsigned element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// Less than this.
    Less(u32),
    /// Less than this or equal to it.
    LessOrEqual(u32),
    /// Greater than this.
    Greater(u32),
    /// Greater than this or equal to it.
    GreaterOrEqual(u32),
    /// Equal to this.
    Equal(u32),
    /// Not equal to this.
    NotEqual(u32),
    /// From the first to the second, both inclusive.
    Between(u32, u32),
    /// Less than the first or greater than the second.
    Outside(u32, u32),
}

/// A condition in the device's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: u32,
    pub(super) high: u32,
    pub(super) is_inverted: bool,
}

/// The condition that every element meets. The device compares 32 bits at any width.
const ALL: Range = Range { low: 0, high: u32::MAX, is_inverted: false };

impl Range {
    fn new(low: u32, high: u32) -> Range {
        // An empty range becomes the inverse of all, so that the device never sees a range with its
        // ends swapped.
        if low > high { Range { is_inverted: true, ..ALL } } else { Range { low, high, is_inverted: false } }
    }

    fn inverted(self) -> Range {
        Range { is_inverted: !self.is_inverted, ..self }
    }
}

impl Predicate {
    pub(super) fn range(self) -> Range {
        match self {
            Predicate::Less(bound) => bound.checked_sub(1).map_or(ALL.inverted(), |high| Range::new(0, high)),
            Predicate::LessOrEqual(bound) => Range::new(0, bound),
            Predicate::Greater(bound) => {
                bound.checked_add(1).map_or(ALL.inverted(), |low| Range::new(low, u32::MAX))
            }
            Predicate::GreaterOrEqual(bound) => Range::new(bound, u32::MAX),
            Predicate::Equal(value) => Range::new(value, value),
            Predicate::NotEqual(value) => Range::new(value, value).inverted(),
            Predicate::Between(low, high) => Range::new(low, high),
            Predicate::Outside(low, high) => Range::new(low, high).inverted(),
        }
    }
}

#[cfg(test)]
mod tests;
