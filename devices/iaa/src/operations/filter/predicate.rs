//! Conditions on elements, as the device takes them: a range, both ends inclusive, or what is
//! outside of it.

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

/// A condition as the device takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: u32,
    pub(super) high: u32,
    pub(super) is_inverted: bool,
}

/// What every element meets. The device compares all 32 bits, however few an element has.
const ALL: Range = Range { low: 0, high: u32::MAX, is_inverted: false };

impl Range {
    fn new(low: u32, high: u32) -> Range {
        // A range whose ends are the wrong way round holds nothing; so does what is outside of
        // everything, and that does not depend on how the device takes the former.
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
mod tests {
    use super::*;

    /// The conditions themselves, against the ranges, on values around each bound.
    #[test]
    fn ranges_hold_what_the_conditions_do() {
        const VALUES: [u32; 7] = [0, 1, 2, 100, 101, u32::MAX - 1, u32::MAX];
        let is_in =
            |range: Range, value: u32| (range.low <= value && value <= range.high) != range.is_inverted;
        for a in VALUES {
            for b in VALUES {
                for x in VALUES {
                    let cases = [
                        (Predicate::Less(a), x < a),
                        (Predicate::LessOrEqual(a), x <= a),
                        (Predicate::Greater(a), x > a),
                        (Predicate::GreaterOrEqual(a), x >= a),
                        (Predicate::Equal(a), x == a),
                        (Predicate::NotEqual(a), x != a),
                        (Predicate::Between(a, b), a <= x && x <= b),
                        (Predicate::Outside(a, b), x < a || x > b),
                    ];
                    for (predicate, expected) in cases {
                        // What is outside of a range that is none is everything.
                        let expected = expected || matches!(predicate, Predicate::Outside(..)) && a > b;
                        assert_eq!(is_in(predicate.range(), x), expected, "{predicate:?} of {x}");
                    }
                }
            }
        }
    }
}
