//! Conformance suite over the model, with each way of submission.

use pelton_device_iaa::{Mode, Options, Windows};
use pelton_device_model::iaa::{Fault, Faults, QueueConfig};
use pelton_job::conformance;

use crate::support::{device, model, options};

fn run(queue: QueueConfig, options: Options, faults: Faults) {
    let model = model(queue, faults);
    conformance::run(device(&model, options));
    let counters = model.counters();
    println!("{counters:?}");
    assert_eq!((counters.lost_full, counters.dropped_at_close), (0, 0), "{counters:?}");
}

/// Returns faults that the driver recovers from alone. Most of the suite's checks have no fallback
/// device.
fn passing(mode: Mode) -> Faults {
    let faults = [Fault::ReadFault, Fault::WriteFault, Fault::Overtaken(3), Fault::QueueFull];
    // A dedicated queue says nothing when it is full.
    let count = if mode == Mode::Dedicated { 3 } else { faults.len() };
    // At fixed intervals and not at random: a job with a fault in each retry would fail.
    Faults::none()
        .rule(move |offered| (offered.index % 7 == 6).then(|| faults[offered.index as usize / 7 % count]))
}

#[test]
fn shared_queue() {
    run(QueueConfig::new(Mode::Shared), options(), Faults::none());
}

#[test]
fn dedicated_queue() {
    run(QueueConfig { depth: 3, ..QueueConfig::new(Mode::Dedicated) }, options(), Faults::none());
}

#[test]
fn write_calls() {
    run(QueueConfig::new(Mode::Write), options(), Faults::none());
}

/// A queue with less depth than the driver would use, and pages of several transfers.
#[test]
fn small_queue_and_small_transfers() {
    run(
        QueueConfig { depth: 2, max_transfer_bytes: 16 << 10, ..QueueConfig::new(Mode::Shared) },
        options(),
        Faults::none(),
    );
}

#[test]
fn only_streams_that_are_known_to_fit() {
    run(QueueConfig::new(Mode::Shared), Options { windows: Windows::Known, ..options() }, Faults::none());
}

#[test]
fn shared_queue_with_faults() {
    run(QueueConfig::new(Mode::Shared), options(), passing(Mode::Shared));
}

#[test]
fn dedicated_queue_with_faults() {
    run(QueueConfig { depth: 3, ..QueueConfig::new(Mode::Dedicated) }, options(), passing(Mode::Dedicated));
}

#[test]
fn write_calls_with_faults() {
    run(QueueConfig::new(Mode::Write), options(), passing(Mode::Write));
}
