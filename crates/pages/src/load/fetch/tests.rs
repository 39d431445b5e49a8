use super::*;

#[test]
fn rows_in_both() {
    let (a, b) = (vec![0..3, 5..9, 12..13], vec![1..6, 8..20]);
    assert_eq!(intersect(&a, &b), [1..3, 5..6, 8..9, 12..13]);
    assert_eq!(intersect(&b, &a), intersect(&a, &b));
    assert!(intersect(&a, &[]).is_empty());
}
