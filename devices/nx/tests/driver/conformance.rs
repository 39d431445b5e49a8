//! Conformance suite over the model, in several configurations.

use std::time::Duration;

use pelton_device_model::nx::{Config, Fault, Faults, Model};
use pelton_device_nx::Options;
use pelton_job::conformance;

use crate::support::{device, options};

fn run(config: Config, options: Options) {
    let model = Model::new(config);
    let device = device(&model, options);
    conformance::run(device.clone());
    println!("{:?}\n{:?}", model.counters(), device.counters());
    let rejected = [1, 14, 17, 20, 21, 30, 31, 33].map(|code| model.counters().codes.get(&code).copied());
    assert_eq!(rejected, [None; 8], "the driver sends no invalid request");
    assert_eq!(model.counters().too_long, 0, "the driver keeps to the limit");
    assert!(model.counters().completed > 0);
}

#[test]
fn one_engine() {
    run(Config::default(), options());
}

/// PowerVM has one credit a window.
#[test]
fn two_engines_with_a_credit_each() {
    run(Config { engines: 2, credits: 1, ..Config::default() }, Options { engines: 2, ..options() });
}

/// Partitions of PowerVM have a limit on a request's bytes, here a low one.
#[test]
fn a_partition_of_powervm() {
    run(Config { credits: 1, max_bytes: Some(64 << 10), ..Config::default() }, options());
}

/// Most jobs are suspended and resumed.
#[test]
fn low_byte_limits() {
    run(Config { high_limit: 40_000, ..Config::default() }, options());
}

#[test]
fn blocks_that_are_not_marked_as_final() {
    run(Config { marks_final: false, ..Config::default() }, Options { verify: true, ..options() });
}

/// Faults that the driver recovers from alone. Most of the suite's checks have no other device.
#[test]
fn faults() {
    let faults = [
        Fault::SourceFault,
        Fault::TargetFault,
        Fault::Busy,
        Fault::Suspend(33_000),
        Fault::SourceFault,
        Fault::LostCredit,
    ];
    run(
        Config { faults: Faults::none().in_turns(7, &faults), credits: 1 << 20, ..Config::default() },
        options(),
    );
}

/// A window that is suspended every now and then: its requests are replayed in another.
#[test]
fn suspended_windows() {
    let faults = Faults::none().in_turns(97, &[Fault::SuspendWindow]);
    let options = Options { time_limit: Duration::from_secs(120), ..options() };
    run(Config { faults, ..Config::default() }, options);
}
