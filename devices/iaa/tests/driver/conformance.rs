//! The suite that every device has to pass, by all ways into a queue.

use pelton_device_iaa::{Mode, Options, Windows};
use pelton_device_model::iaa::{Faults, QueueConfig};
use pelton_job::conformance;

use crate::support::{device, model, options};

fn run(queue: QueueConfig, options: Options) {
    let model = model(queue, Faults::none());
    conformance::run(device(&model, options));
    let counters = model.counters();
    println!("{counters:?}");
    assert_eq!((counters.lost_full, counters.dropped_at_close), (0, 0), "{counters:?}");
}

#[test]
fn shared_queue() {
    run(QueueConfig::new(Mode::Shared), options());
}

#[test]
fn dedicated_queue() {
    run(QueueConfig { depth: 3, ..QueueConfig::new(Mode::Dedicated) }, options());
}

#[test]
fn write_calls() {
    run(QueueConfig::new(Mode::Write), options());
}

/// A queue that holds less than the driver would keep in flight, and transfers of which a page is several.
#[test]
fn small_queue_and_small_transfers() {
    run(QueueConfig { depth: 2, max_transfer_bytes: 16 << 10, ..QueueConfig::new(Mode::Shared) }, options());
}

#[test]
fn only_streams_that_are_known_to_fit() {
    run(QueueConfig::new(Mode::Shared), Options { windows: Windows::Known, ..options() });
}
