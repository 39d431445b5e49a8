use super::*;

#[test]
fn numbers_follow_the_ranges_across_calls() {
    let mut numbers = RowNumbers::new(1_000, vec![2..5, 9..10, 20..23]);
    let mut first = [0; 4];
    numbers.write(&mut first);
    assert_eq!(first, [1_002, 1_003, 1_004, 1_009]);
    let mut rest = [-1; 4];
    numbers.write(&mut rest);
    assert_eq!(rest, [1_020, 1_021, 1_022, -1], "there are no more");
}

#[test]
fn neighbours_join() {
    let mut passing = Passing::default();
    [3..4, 4..5, 7..9, 9..10, 11..12].into_iter().for_each(|rows| passing.add(rows));
    assert_eq!(passing.0, [3..5, 7..10, 11..12]);
}
