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

/// Published setup times of a job, from the call to the engine's first cycle (Table II).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Setup {
    /// Seconds of a thread that has the engine for itself, mostly in software.
    pub alone: f64,
    /// Seconds a job with eight threads, whose software overlaps: those of the hardware.
    pub shared: f64,
}

/// A configuration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Config {
    /// Bytes of a search token, 3 to 8 (section IV-C).
    pub token: usize,
    /// Ports of a bank of the hash table.
    pub ports: Ports,
    /// Treatment of accesses to a busy bank.
    pub on_conflict: OnConflict,
    /// Cycles a second.
    pub clock_hz: f64,
    /// Whether the engine makes code tables itself; software does otherwise (section V-D).
    pub has_table_generator: bool,
    /// Setup of a compression.
    pub compress: Setup,
    /// Setup of a decompression.
    pub decompress: Setup,
}

impl Config {
    /// POWER9.
    pub const P9: Config = Config {
        token: 5,
        ports: Ports::One,
        on_conflict: OnConflict::Stall,
        clock_hz: 2.0e9,
        has_table_generator: false,
        compress: Setup { alone: 2.2e-6, shared: 0.55e-6 },
        decompress: Setup { alone: 2.9e-6, shared: 0.73e-6 },
    };
    /// z15.
    pub const Z15: Config = Config {
        ports: Ports::Two,
        clock_hz: 2.5e9,
        has_table_generator: true,
        compress: Setup { alone: 5.2e-6, shared: 0.78e-6 },
        decompress: Setup { alone: 1.9e-6, shared: 0.65e-6 },
        ..Config::P9
    };

    /// Returns the seconds that cycles take.
    pub fn seconds(&self, cycles: u64) -> f64 {
        cycles as f64 / self.clock_hz
    }
}
