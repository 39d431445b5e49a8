use super::*;

#[test]
fn one_attempt_in_sixteen_is_made_during_backoff() {
    let patience = Backoff::new();
    for _ in 0..PATIENCE {
        assert!(patience.should_try());
        patience.failed();
    }
    let mut tried = 0;
    for _ in 0..10 * PATIENCE {
        if patience.should_try() {
            tried += 1;
            patience.failed();
        }
    }
    assert_eq!(tried, 10);
    patience.succeeded();
    assert!((0..PATIENCE).all(|_| patience.should_try()));
}
