use super::{Contender, Times, compete};

#[test]
fn contenders_take_turns_and_each_starts_a_round() {
    let order = std::cell::RefCell::new(vec![]);
    let contender = |name: &'static str, copies| {
        Contender::new(name, copies, {
            let order = &order;
            move |copy| order.borrow_mut().push((name, copy))
        })
    };
    let times = compete(2, 1, vec![contender("a", 1), contender("b", 2)]);
    assert_eq!(times.names(), ["a", "b"]);
    let (a, b) = ([("a", 0); 2], [("b", 0), ("b", 0), ("b", 1)]);
    assert_eq!(*order.borrow(), [&a[..], &b, &b, &a].concat());
}

#[test]
fn ratios_are_of_the_same_round() {
    let names = ["a", "b"].map(str::to_owned).to_vec();
    let times = Times { names, rounds: vec![vec![2.0, 1.0], vec![9.0, 3.0], vec![40.0, 10.0]] };
    assert_eq!((times.ratio("a", "b"), times.seconds("b")), (Some(3.0), Some(3.0)));
    assert_eq!((times.ratio("a", "c"), times.seconds("c")), (None, None));
}
