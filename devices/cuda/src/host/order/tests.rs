//! Names of orders.

use super::*;

#[test]
fn names_of_orders() {
    assert_eq!(Order::parse("forward"), Some(Order::Forward));
    assert_eq!(Order::parse("backward"), Some(Order::Backward));
    assert_eq!(Order::parse("42"), Some(Order::Random(42)));
    for wrong in ["1", "0", "-3", "sideways"] {
        assert_eq!(Order::parse(wrong), None);
    }
}
