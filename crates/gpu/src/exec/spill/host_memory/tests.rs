//! The limit on spilled bytes.

use super::*;

#[test]
fn what_is_taken_comes_back() {
    let budget = HostBudget::new(100);
    let room = budget.take(60).expect("there are 100");
    assert!(budget.take(41).is_none());
    assert!(budget.take(40).is_some());
    drop(room);
    assert!(budget.take(100).is_some());
    assert!(budget.take(u64::MAX).is_none());
}
