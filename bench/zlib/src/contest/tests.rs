use super::{paired, turns};

#[test]
fn libraries_take_turns_and_each_begins_a_round() {
    let mut order = Vec::new();
    let taken = turns(3, 3, |library| {
        order.push(library);
        Ok(vec![library as f64])
    });
    assert_eq!(order, [0, 1, 2, 1, 2, 0, 2, 0, 1]);
    assert_eq!(taken.unwrap()[2].0, [[2.0; 3]]);
}

#[test]
fn ratios_are_of_runs_in_the_same_round() {
    assert_eq!(paired(&[2.0, 30.0, 8.0], &[1.0, 10.0, 2.0]), 3.0);
}
