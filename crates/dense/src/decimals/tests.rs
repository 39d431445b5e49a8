use super::{Operand, fit, products, sums};

const MAX: i128 = i64::MAX as i128;
const MIN: i128 = i64::MIN as i128;

#[test]
fn values_of_64_bits_fit() {
    assert!(fit(&[0, 1, -1, MAX, MIN]) && fit(&[]));
    assert!(!fit(&[0, MAX + 1]) && !fit(&[MIN - 1, 0]) && !fit(&[i128::MAX]) && !fit(&[i128::MIN]));
}

#[test]
fn products_and_sums_are_those_of_wide_integers() {
    let left = [0, 1, -1, MAX, MIN, 12_345];
    let right = [7, -9, MAX, MIN, MIN, MAX];
    let each =
        |f: &dyn Fn(i128, i128) -> i128| left.iter().zip(right).map(|(&a, b)| f(a, b)).collect::<Vec<_>>();
    let (a, b) = (Operand::Each(&left), Operand::Each(&right));
    assert_eq!(products(a, b), Some(each(&|a, b| a * b)));
    for (x, y) in [(1, 1), (1, -1), (100, 1), (1, -1_000), (i64::MAX, i64::MIN / 2)] {
        let expected = each(&|a, b| a * i128::from(x) + b * i128::from(y));
        assert_eq!(sums(a, x, b, y), Some(expected), "{x}, {y}");
    }
    let one = Operand::One(MIN);
    assert_eq!(products(one, b), Some(right.iter().map(|b| MIN * b).collect()));
    assert_eq!(sums(a, 1, one, -1), Some(left.iter().map(|a| a - MIN).collect()));
}

#[test]
fn constants_alone_and_arrays_of_other_lengths_have_no_result() {
    assert_eq!(products(Operand::One(1), Operand::One(2)), None);
    assert_eq!(sums(Operand::Each(&[1]), 1, Operand::Each(&[1, 2]), 1), None);
}
