//! Devices on the model, for tests.

use std::sync::Arc;
use std::time::Duration;

use pelton_device_iaa::{IaaDevice, Mode, Options, Windows};
use pelton_device_model::iaa::{Faults, Model, QueueConfig};

pub const MODES: [Mode; 3] = [Mode::Shared, Mode::Dedicated, Mode::Write];

/// Engines of a device, few enough that queues fill.
pub const ENGINES: usize = 4;

/// Returns options for a model that accept streams of any window.
pub fn options() -> Options {
    Options {
        name: "iaa-model".into(),
        place: "software model".into(),
        windows: Windows::Try,
        engines: ENGINES,
        // A busy machine is slower than any device.
        time_limit: Duration::from_secs(60),
        ..Options::default()
    }
}

/// Returns a model of one device with one queue and these faults.
pub fn model(queue: QueueConfig, faults: Faults) -> Model {
    Model::builder().engines(ENGINES).threads(2).queues([queue]).faults(faults).build()
}

pub fn device(model: &Model, options: Options) -> Arc<IaaDevice> {
    IaaDevice::new(model.open(), options).expect("the model has queues")
}
