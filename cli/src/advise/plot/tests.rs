use super::spread;

#[test]
fn names_are_apart_and_in_order() {
    assert_eq!(spread(vec![100.0, 300.0, 104.0]), [100.0, 300.0, 116.0]);
    assert_eq!(spread(vec![50.0, 50.0, 50.0]), [50.0, 66.0, 82.0]);
}
