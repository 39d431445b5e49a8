use super::{Random, divided};

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
fn a_divisor_leaves_at_least_one_case() {
    assert_eq!([divided(300, "1"), divided(300, "20"), divided(3, "20")], [300, 15, 1]);
    for divisor in ["", "0", "-1", "x"] {
        assert!(std::panic::catch_unwind(|| divided(300, divisor)).is_err(), "{divisor:?}");
    }
}
