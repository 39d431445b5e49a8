//! Published figures of devices, for estimates without the device. Each has a software model.

use std::time::Duration;

use pelton_device_model::iaa::Timing;

/// Figures of one device with all its engines at work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Setup time of an operation, apart from its bytes.
    pub setup: Duration,
    /// Uncompressed bytes a second that it compresses.
    pub compress: f64,
    /// Uncompressed bytes a second that it decompresses.
    pub decompress: f64,
    /// Uncompressed bytes a second that one of its engines decompresses.
    pub engine: f64,
}

/// Returns the figures of an IAA with all its engines; [`Timing::PAPER`] has their source.
pub fn iaa() -> Figures {
    let Timing { setup, compress, decompress, engines_at_once, .. } = Timing::PAPER;
    let (all_compress, all_decompress) = (compress * engines_at_once, decompress * engines_at_once);
    Figures { setup, compress: all_compress, decompress: all_decompress, engine: decompress }
}
