//! Devices on the model, for tests.

use std::sync::Arc;

use pelton_device_dfltcc::{DfltccDevice, Options};
use pelton_device_model::dfltcc::{Config, Model, ending_code};
use pelton_job::Router;
use pelton_job::conformance::Reference;

pub const NAME: &str = "dfltcc-model";

/// Ending codes of calls that a driver should never make.
const MISTAKES: [u8; 6] = [
    ending_code::VERSION,
    ending_code::RESERVED,
    ending_code::HISTORY,
    ending_code::STATE,
    ending_code::NO_SOURCE,
    ending_code::NO_CODE,
];

pub fn options() -> Options {
    Options { name: NAME.into(), place: "software model".into(), verify: false }
}

pub fn device(model: &Model, options: Options) -> Arc<DfltccDevice> {
    DfltccDevice::new(Arc::new(model.clone()), options).expect("the model has all functions")
}

/// Returns a model, and the driver over it.
pub fn open(config: Config) -> (Arc<DfltccDevice>, Model) {
    let model = Model::new(config);
    (device(&model, options()), model)
}

/// Returns a router over a device and the reference.
pub fn router(device: &Arc<DfltccDevice>) -> Arc<Router> {
    Router::builder().device(Arc::clone(device) as _).device(Arc::new(Reference)).build()
}

/// Asserts that the model found no mistake of the driver.
pub fn assert_no_mistake(model: &Model) {
    let ended = model.counters().ended;
    let mistakes: Vec<u8> = MISTAKES.into_iter().filter(|code| ended.contains_key(code)).collect();
    assert!(mistakes.is_empty(), "ending codes {mistakes:x?}: {ended:x?}");
}
