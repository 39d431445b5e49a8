//! Configuration of a model.

use super::clock::Timing;
use super::fault::Faults;

/// Properties of the machine and its engines, and the faults to inject.
#[derive(Clone, Debug)]
pub struct Config {
    /// Number of engines, one a chip.
    pub engines: usize,
    /// Credits of a window. Linux on PowerNV grants as many as here by default; PowerVM grants one.
    pub credits: usize,
    /// Requests that each of an engine's queues holds.
    pub queue: usize,
    /// Maximum bytes of a request's source, and of its target: PowerVM rejects the paste of a
    /// longer one. None on PowerNV.
    pub max_bytes: Option<usize>,
    /// Bytes after which a request is suspended, history included: of source when compressing, of
    /// output when decompressing. The proposed value of the manual.
    pub high_limit: usize,
    /// The same, for requests that ask for the low limit.
    pub low_limit: usize,
    /// Seed of the random contents with which hash tables start.
    pub seed: u64,
    /// Whether compressed blocks are marked as final. The manual says both.
    pub marks_final: bool,
    /// The algorithm's configuration.
    pub engine: pelton_nxu::Config,
    /// Figures of the modelled clock.
    pub timing: Timing,
    /// Faults to inject.
    pub faults: Faults,
}

impl Default for Config {
    /// Returns a POWER9 with one engine, without faults.
    fn default() -> Config {
        Config {
            engines: 1,
            credits: 1024,
            queue: 256,
            max_bytes: None,
            high_limit: 1 << 20,
            low_limit: 64 << 10,
            seed: 1,
            marks_final: true,
            engine: pelton_nxu::Config::P9,
            timing: Timing::of(&pelton_nxu::Config::P9),
            faults: Faults::none(),
        }
    }
}
