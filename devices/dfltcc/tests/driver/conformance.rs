//! Conformance suite over the model, with each way in which a call may end.

use pelton_device_dfltcc::Options;
use pelton_device_model::dfltcc::{Config, Model};
use pelton_job::conformance;

use crate::support::{assert_no_mistake, device, options};

fn run(config: Config, options: Options) -> Model {
    let model = Model::new(config);
    conformance::run(device(&model, options));
    println!("{:?}", model.counters());
    assert_no_mistake(&model);
    model
}

#[test]
fn calls_that_end_as_early_as_possible() {
    let model = run(Config { is_awkward: false, ..Config::default() }, options());
    assert_eq!(model.counters().held_back, 0);
}

#[test]
fn calls_that_hold_data_back() {
    let model = run(Config::default(), options());
    assert!(model.counters().held_back > 20, "{:?}", model.counters());
}

#[test]
fn calls_that_have_to_be_repeated() {
    let config = Config { again_every: Some(2), seed: 3, ..Config::default() };
    let model = run(config, options());
    assert!(model.counters().again > 1000, "{:?}", model.counters());
}

/// With comparisons of all results in software.
#[test]
fn calls_that_nearly_all_have_to_be_repeated() {
    let config = Config { again_every: Some(1), seed: 4, ..Config::default() };
    run(config, Options { verify: true, ..options() });
}
