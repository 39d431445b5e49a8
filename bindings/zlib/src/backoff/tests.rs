use super::*;

#[test]
fn one_in_sixteen_is_tried_when_patience_is_lost() {
    let patience = Patience::new();
    for _ in 0..PATIENCE {
        assert!(patience.is_left());
        patience.in_vain();
    }
    let mut tried = 0;
    for _ in 0..10 * PATIENCE {
        if patience.is_left() {
            tried += 1;
            patience.in_vain();
        }
    }
    assert_eq!(tried, 10);
    patience.succeeded();
    assert!((0..PATIENCE).all(|_| patience.is_left()));
}
