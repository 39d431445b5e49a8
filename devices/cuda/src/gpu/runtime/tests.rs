//! The budget for memory.

use super::*;

#[test]
fn holds_to_the_limit() {
    let budget = MemoryBudget::new(100);
    budget.reserve(60).unwrap();
    assert_eq!(budget.reserve(41), Err(Error::OutOfMemory { asked: 41, used: 60, limit: 100 }));
    assert!(budget.reserve(usize::MAX).is_err());
    budget.reserve(40).unwrap();
    budget.release(60);
    assert_eq!(budget.used(), 40);
}
