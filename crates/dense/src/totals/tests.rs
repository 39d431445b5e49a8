use pelton_random::Random;

use super::*;

#[test]
fn totals_are_those_of_additions_row_by_row() {
    let mut random = Random::new(4);
    for groups in [1, 2, 5, 256, 257, 3000] {
        let (mut totals, mut expected) = (Totals::default(), vec![0i128; groups]);
        let (mut counts, mut rows_of) = (Vec::new(), vec![0u64; groups]);
        for round in 0..6 {
            let bits = [8, 50, 51, 63, 64, 65][round];
            let rows = random.below(40_000);
            let magnitude = 1i128 << (bits - 1);
            let values: Vec<i128> = (0..rows)
                .map(|_| match random.below(50) {
                    0 => -magnitude,
                    1 => magnitude - 1,
                    _ => random.below(1000) as i128 - 500,
                })
                .collect();
            let values: Vec<i128> =
                values.iter().map(|value| (*value).clamp(-magnitude, magnitude - 1)).collect();
            let numbers: Vec<u32> = (0..rows).map(|_| random.below(groups) as u32).collect();
            let is_narrow = values.iter().all(|&value| i64::try_from(value).is_ok());
            assert_eq!(totals.add(&values, &numbers, groups), is_narrow);
            add_counts(&mut counts, &numbers, groups);
            for (&value, &number) in values.iter().zip(&numbers) {
                rows_of[number as usize] += 1;
                expected[number as usize] += if is_narrow { value } else { 0 };
            }
        }
        assert_eq!(counts, rows_of);
        assert_eq!(totals.take(groups), expected);
    }
}

#[test]
fn many_large_values_do_not_overflow() {
    let mut totals = Totals::default();
    let (values, numbers) = (vec![-(1i64 << 50); 100_000], vec![0; 100_000]);
    assert!(totals.add(&values, &numbers, 1));
    assert!(totals.add(&[i64::MIN, i64::MIN, i64::MAX], &[0, 0, 1], 2));
    assert!(!totals.add(&[1, u64::MAX], &[0, 0], 2));
    assert_eq!(totals.take(2), [-(100_000i128 << 50) - (1i128 << 64), i64::MAX.into()]);
}
