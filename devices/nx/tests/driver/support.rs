//! Devices on the model, for tests.

use std::sync::Arc;
use std::time::Duration;

use pelton_codec::{Decoder, Format, Level};
use pelton_device_model::nx::{Config, Faults, Model};
use pelton_device_nx::{Credits, NxDevice, Options};
use pelton_job::conformance::Reference;
use pelton_job::{Job, Router};

pub const FORMATS: [Format; 3] = [Format::Deflate, Format::Zlib, Format::Gzip];

pub fn options() -> Options {
    Options {
        name: "nx-model".into(),
        place: "software model".into(),
        // A busy machine is slower than any device.
        time_limit: Duration::from_secs(60),
        ..Options::default()
    }
}

pub fn model(faults: Faults) -> Model {
    Model::new(Config { faults, ..Config::default() })
}

pub fn device(model: &Model, options: Options) -> Arc<NxDevice> {
    NxDevice::open(model.opener(Credits::Shared), options).expect("the model has engines")
}

/// Returns a router with the device, and the CPU behind it.
pub fn router(device: &Arc<NxDevice>) -> Arc<Router> {
    Router::builder().device(Arc::clone(device) as _).device(Arc::new(Reference)).build()
}

pub fn level(format: Format, level: i32) -> Level {
    Level::new(format, level).expect("a level")
}

/// Returns the bytes of a block.
pub fn decompressed(format: Format, block: &[u8], len: usize) -> Vec<u8> {
    let mut back = vec![0; len];
    let done = Decoder::new().decompress(format, block, &mut back).expect("a block");
    assert_eq!((done.consumed, done.produced), (block.len(), len));
    back
}

/// Runs one job, and returns its output.
pub fn run(router: &Arc<Router>, job: Job) -> bytes::Bytes {
    router.submit(job).wait().remove(0).expect("done").output
}
