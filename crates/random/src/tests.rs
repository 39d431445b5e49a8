use super::{Random, divisor, parsed, reduced, sample};

#[test]
fn the_sequence_is_that_of_the_reference_implementation() {
    let mut random = Random::new(1_234_567);
    let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
    assert_eq!([random.next(), random.next(), random.next()], expected);
}

#[test]
fn chances_are_met() {
    let mut random = Random::new(1);
    assert!((0..100).all(|_| !random.chance(0.0) && random.chance(1.0)));
    let half = (0..10_000).filter(|_| random.chance(0.5)).count();
    assert!((4_800..5_200).contains(&half), "{half}");
}

#[test]
fn divisors_are_numbers_above_0() {
    assert_eq!(["1", "20"].map(parsed), [1, 20]);
    for divisor in ["", "0", "-1", "x"] {
        assert!(std::panic::catch_unwind(|| parsed(divisor)).is_err(), "{divisor:?}");
    }
}

/// The tests themselves run with any divisor.
#[test]
fn tests_are_reduced_by_the_divisor() {
    let divisor = divisor();
    assert_eq!((reduced(100_000 * divisor), reduced(0)), (100_000, 1));
    let mut skips = sample();
    let ran = (0..10_000 * divisor).filter(|_| !skips()).count();
    assert!((9_000..=11_000).contains(&ran) && (divisor > 1 || ran == 10_000), "{ran}");
}
