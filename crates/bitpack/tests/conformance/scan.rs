//! Every width, predicate and form.

use pelton_bitpack::{Bitmap, Kernels, Predicate};

use crate::cases::{LENGTHS, each};
use pelton_random::Random;

/// Every predicate, of values that occur and others.
fn predicates(values: &[u32], width: u32, random: &mut Random) -> Vec<Predicate> {
    let mut pick = || match random.below(8) {
        0 => random.next() as u32,
        1 => 0,
        2 => u32::MAX,
        3 => ((1u64 << width) - 1) as u32,
        _ if values.is_empty() => 1,
        _ => values[random.below(values.len())],
    };
    let (a, b) = (pick(), pick());
    vec![
        Predicate::Equal(pick()),
        Predicate::NotEqual(pick()),
        Predicate::Less(pick()),
        Predicate::LessOrEqual(pick()),
        Predicate::Greater(pick()),
        Predicate::GreaterOrEqual(pick()),
        Predicate::Between { low: a.min(b), high: a.max(b) },
        Predicate::Outside { low: a.min(b), high: a.max(b) },
        Predicate::Between { low: a.max(b), high: a.min(b) },
        Predicate::Outside { low: a.max(b), high: a.min(b) },
    ]
}

#[test]
fn a_scan_says_what_passes() {
    each(&LENGTHS, |case, random| {
        for predicate in predicates(&case.values, case.width, random) {
            let start = random.below(130);
            let mut expected = Bitmap::with_len(start, true);
            case.values.iter().for_each(|&value| expected.extend_run(predicate.passes(value), 1));
            for kernels in Kernels::available() {
                // Memory that was used before, as an operator's is.
                let mut found = Bitmap::with_len(2000, true);
                found.truncate(start);
                kernels.scan(&case.source(), predicate, &mut found).unwrap();
                assert!(found == expected, "{}, {predicate:?}, from bit {start}", kernels.name());
            }
        }
    });
}

#[test]
fn predicates_mean_what_their_names_say() {
    for (predicate, expected) in [
        (Predicate::Equal(3), [false, false, false, true, false]),
        (Predicate::NotEqual(3), [true, true, true, false, true]),
        (Predicate::Less(3), [true, true, true, false, false]),
        (Predicate::LessOrEqual(3), [true, true, true, true, false]),
        (Predicate::Greater(3), [false, false, false, false, true]),
        (Predicate::GreaterOrEqual(3), [false, false, false, true, true]),
        (Predicate::Between { low: 1, high: 3 }, [false, true, true, true, false]),
        (Predicate::Outside { low: 1, high: 3 }, [true, false, false, false, true]),
    ] {
        assert_eq!([0, 1, 2, 3, 4].map(|value| predicate.passes(value)), expected, "{predicate:?}");
    }
}
