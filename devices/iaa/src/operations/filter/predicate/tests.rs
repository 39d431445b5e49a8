use super::*;

/// Compares conditions with their ranges on values around each bound.
#[test]
fn ranges_hold_what_the_conditions_do() {
    const VALUES: [u32; 7] = [0, 1, 2, 100, 101, u32::MAX - 1, u32::MAX];
    let is_in = |range: Range, value: u32| (range.low <= value && value <= range.high) != range.is_inverted;
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
                    // Every value is outside of an empty range.
                    let expected = expected || matches!(predicate, Predicate::Outside(..)) && a > b;
                    assert_eq!(is_in(predicate.range(), x), expected, "{predicate:?} of {x}");
                }
            }
        }
    }
}
