//! Published figures of devices that need not be here, for estimates. All of them are modelled.

use std::time::Duration;

use pelton_device_model::iaa::Timing;

/// Figures of one device with all its engines at work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Time of an operation beside its bytes.
    pub setup: Duration,
    /// Uncompressed bytes a second that it compresses.
    pub compress: f64,
    /// Uncompressed bytes a second that it decompresses.
    pub decompress: f64,
    /// Uncompressed bytes a second that one of its engines decompresses.
    pub engine: f64,
}

/// An IAA with 8 engines; where the figures are from is said at [`Timing::PAPER`].
pub fn iaa() -> Figures {
    let Timing { setup, compress, decompress, engines_at_once, .. } = Timing::PAPER;
    let (all_compress, all_decompress) = (compress * engines_at_once, decompress * engines_at_once);
    Figures { setup, compress: all_compress, decompress: all_decompress, engine: decompress }
}
