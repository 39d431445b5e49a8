//! What the CPU of this machine does with the data.

use pelton::codec::Format;
use pelton::job::Router;
use pelton::{DeviceChoice, Engine};

use crate::codecs::contestant::Contestant;
use crate::codecs::measure::{self, Figures};
use crate::codecs::sample::Sample;
use crate::failure::Failure;

/// The format of Parquet's GZIP, which is what an IAA reads and writes too.
pub const FORMAT: Format = Format::Gzip;

/// Measures gzip at its default level with so many threads.
pub fn measure(threads: usize, sample: &Sample, rounds: usize) -> Result<Figures, Failure> {
    let cpu: DeviceChoice = "cpu".parse().map_err(Failure::error)?;
    let engine = Engine::builder().threads(threads).devices(cpu).build()?;
    let builder =
        engine.router().devices().fold(Router::builder(), |builder, device| builder.device(device.clone()));
    let contestant = Contestant { format: FORMAT, level: FORMAT.default_level() };
    measure::measure(&builder.build(), contestant, sample, rounds, |_| {})?.map_err(Failure::Error)
}
