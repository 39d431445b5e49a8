use super::{geometric_mean, medians};

#[test]
fn contenders_take_turns_and_each_starts_a_round() {
    let mut order = Vec::new();
    assert_eq!(medians(3, 3, |contender| order.push(contender)).len(), 3);
    assert_eq!(order, [0, 1, 2, 1, 2, 0, 2, 0, 1]);
}

#[test]
fn geometric_means() {
    assert!((geometric_mean([1.0, 4.0, 16.0]) - 4.0).abs() < 1e-12);
    assert!(geometric_mean([]).is_nan());
}
