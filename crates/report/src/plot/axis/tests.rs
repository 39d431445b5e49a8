use super::Axis;

fn ticks(axis: &Axis) -> Vec<String> {
    axis.ticks().into_iter().map(|(text, _)| text).collect()
}

#[test]
fn a_logarithmic_axis_has_round_values_at_even_steps() {
    let axis = Axis::logarithmic([0.3, 12.0].into_iter(), 0.0, 1000.0);
    assert_eq!(ticks(&axis), ["0.5", "1", "2", "5", "10"]);
    let place = |value| axis.place(value);
    assert!(place(0.3) > 0.0 && place(12.0) < 1000.0, "points keep off the edges");
    assert!(((place(2.0) - place(1.0)) - (place(10.0) - place(5.0))).abs() < 1e-9);
}

#[test]
fn a_linear_axis_is_as_long_as_its_values_need() {
    let axis = Axis::linear([1.1, 6.9].into_iter(), 500.0, 0.0);
    assert_eq!(ticks(&axis), ["1", "2", "3", "4", "5", "6", "7"]);
    assert!(axis.place(1.1) < 500.0 && axis.place(6.9) > 0.0, "points keep off the edges");
    let near = Axis::linear([1.00, 1.01].into_iter(), 500.0, 0.0);
    assert!(ticks(&near).len() >= 2 && near.place(1.0) > near.place(1.01), "upwards: {:?}", ticks(&near));
}

#[test]
fn odd_values_leave_a_usable_axis() {
    for values in [vec![], vec![3.0], vec![f64::NAN, f64::INFINITY], vec![0.0], vec![1e-9, 1e9]] {
        for axis in [
            Axis::linear(values.iter().copied(), 0.0, 100.0),
            Axis::logarithmic(values.iter().copied(), 0.0, 100.0),
        ] {
            assert!((1..100).contains(&axis.ticks().len()), "{values:?}");
            assert!(values.iter().filter(|v| v.is_finite()).all(|v| (0.0..=100.0).contains(&axis.place(*v))));
        }
    }
}
