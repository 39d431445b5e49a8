//! Configurations of the engine, and the sizes that all have.

/// Bytes that the engine takes a cycle (section III).
pub const WORD: usize = 8;
/// Bytes of the near history (section IV-B).
pub const NEAR: usize = 512;
/// Maximum distance of a match.
pub const WINDOW: usize = 32 << 10;
/// Symbols that the priority encoder writes a cycle (section IV-B).
pub const SYMBOLS: usize = 4;
/// Maximum length of a match.
pub const MAX_MATCH: usize = 258;
/// Minimum length of a match.
pub const MIN_MATCH: usize = 3;

/// Ports of each bank of the far history's hash table (section IV-D).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ports {
    /// One read and one write port, as POWER9 has.
    One,
    /// Two ports, as z15 has.
    Two,
}

impl Ports {
    /// Returns the accesses that a bank serves a cycle.
    pub const fn count(self) -> u32 {
        match self {
            Ports::One => 1,
            Ports::Two => 2,
        }
    }
}

/// Treatment of accesses to a bank that is busy (section IV-D).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnConflict {
    /// The pipeline waits.
    Stall,
    /// The access is dropped: faster, with fewer matches.
    Drop,
}

/// Published setup of a job, from the call to the engine's first cycle (Table II).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Setup {
    /// Seconds.
    pub seconds: f64,
    /// Bytes of a job that takes twice as long, and so has half of the peak bandwidth.
    pub half_peak: f64,
}

impl Setup {
    /// Returns the peak bandwidth that both imply, in uncompressed bytes a second.
    pub fn bandwidth(&self) -> f64 {
        self.half_peak / self.seconds
    }
}

/// Published setups of an operation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Setups {
    /// Setup of a thread that has the engine for itself, mostly in software.
    pub alone: Setup,
    /// Setup with eight threads, whose software overlaps: the hardware's.
    pub shared: Setup,
}

/// Returns setups by their microseconds and half-peak sizes in KB, alone and shared.
const fn setups(alone: (f64, f64), shared: (f64, f64)) -> Setups {
    const fn setup((micros, half_peak): (f64, f64)) -> Setup {
        Setup { seconds: micros * 1e-6, half_peak: half_peak * 1024.0 }
    }
    Setups { alone: setup(alone), shared: setup(shared) }
}

/// A configuration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Config {
    /// Bytes of a search token, 3 to 8 (section IV-C).
    pub token: usize,
    /// Multiplier of the hash table's hashes, which the paper does not give. `make bench-nxu` tries
    /// others.
    pub hash: u64,
    /// Ports of a bank of the hash table.
    pub ports: Ports,
    /// Treatment of accesses to a busy bank.
    pub on_conflict: OnConflict,
    /// Cycles a second.
    pub clock_hz: f64,
    /// Whether the engine makes code tables itself; software does otherwise (section V-D).
    pub has_table_generator: bool,
    /// Setups of a compression.
    pub compress: Setups,
    /// Setups of a decompression.
    pub decompress: Setups,
}

impl Config {
    /// POWER9.
    pub const P9: Config = Config {
        token: 5,
        hash: 0x9e37_79b9_7f4a_7c15,
        ports: Ports::One,
        on_conflict: OnConflict::Stall,
        clock_hz: 2.0e9,
        has_table_generator: false,
        compress: setups((2.2, 16.0), (0.55, 4.0)),
        decompress: setups((2.9, 24.0), (0.73, 6.0)),
    };
    /// z15.
    pub const Z15: Config = Config {
        ports: Ports::Two,
        clock_hz: 2.5e9,
        has_table_generator: true,
        compress: setups((5.2, 64.0), (0.78, 12.0)),
        decompress: setups((1.9, 16.0), (0.65, 6.0)),
        ..Config::P9
    };

    /// Returns the seconds that cycles take.
    pub fn seconds(&self, cycles: u64) -> f64 {
        cycles as f64 / self.clock_hz
    }
}
