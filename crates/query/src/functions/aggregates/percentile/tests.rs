use super::*;

#[test]
fn values_are_interpolated_with_the_whole_fraction() {
    for (values, fraction, expected) in [
        (vec![3.0, 8.0, 4.0, 4.0], 0.3, Some(3.9)),
        (vec![1.0, 2.0], 0.123_456_789, Some(1.123_456_789)),
        (vec![5.0], 0.9, Some(5.0)),
        (vec![2.0, 1.0, 3.0], 0.5, Some(2.0)),
        (vec![2.0, 1.0], 1.0, Some(2.0)),
        (vec![f64::INFINITY, f64::INFINITY], 0.5, Some(f64::INFINITY)),
        (vec![], 0.5, None),
    ] {
        let mut shuffled = values.clone();
        assert_eq!(percentile(&mut shuffled, fraction), expected, "{values:?}");
    }
}
