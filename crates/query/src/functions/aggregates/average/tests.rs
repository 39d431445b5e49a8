use super::*;

#[test]
fn averages_are_rounded_to_the_nearest() {
    for (total, up, count, expected) in
        [(95, 10, 3, 317), (-95, 10, 3, -317), (5, 1, 2, 3), (-5, 1, 2, -3), (7, 1, 5, 1), (0, 10, 4, 0)]
    {
        let average = divide(i256::from_i128(total), up, count);
        assert_eq!(average, Some(i256::from_i128(expected)), "{total} / {count}");
    }
    let wide = divide(i256::from_i128(i128::MAX), 10_000, 10_000);
    assert_eq!(wide, Some(i256::from_i128(i128::MAX)));
    assert_eq!(divide(i256::MAX, 10, 3), None);
}

#[test]
fn decimals_hold_values_of_their_digits() {
    assert!(holds(3, i256::from_i128(-999)));
    assert!(!holds(3, i256::from_i128(1000)));
    assert!(!holds(3, i256::from_i128(-1000)));
}
