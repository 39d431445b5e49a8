//! The settings and their accepted values.

use std::path::PathBuf;

use log::LevelFilter;
use pelton_codec::IsaLevel;

use super::devices::{DEVICES, Devices};

/// All settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Threads that compress a large stream, 1 to [`MAX_THREADS`].
    pub threads: usize,
    /// Whether the same input gives the same bytes on every machine and device.
    pub reproducible: bool,
    /// Whether Pelton's codec and devices are used at all, not only zlib-rs.
    pub accelerate: bool,
    /// The highest ISA level that Pelton's encoders and decoders may use.
    pub instructions: IsaLevel,
    /// Devices besides the calling thread.
    pub devices: Devices,
    /// Destination of the statistics.
    pub stats: Stats,
    /// The log records that are written to standard error.
    pub log: LevelFilter,
}

/// Destination of the statistics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stats {
    /// Nothing is counted.
    Off,
    /// Standard error.
    Stderr,
    /// The end of this file.
    File(PathBuf),
}

/// The most threads that the setting allows: the cores of a large machine, but no accidental
/// number.
pub const MAX_THREADS: usize = 256;

const SWITCH: &str = "0 or 1";
const THREADS: &str = "a number from 1 to 256";
const INSTRUCTIONS: &str = "avx512, avx2 or portable";
const STATS: &str = "0, 1 or the path of a file";
const LOG: &str = "off, info or debug";

impl Default for Settings {
    fn default() -> Self {
        Self {
            threads: 1,
            reproducible: false,
            accelerate: true,
            instructions: IsaLevel::Avx512,
            devices: Devices::default(),
            stats: Stats::Off,
            log: LevelFilter::Off,
        }
    }
}

impl Settings {
    /// Sets the setting with the name `key` in the file.
    ///
    /// # Errors
    /// The accepted values, if `value` is none of them or `key` is unknown. Nothing is changed
    /// then.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        match key {
            "threads" => {
                let threads = value.parse().ok().filter(|threads| (1..=MAX_THREADS).contains(threads));
                self.threads = threads.ok_or(THREADS)?;
            }
            "reproducible" => self.reproducible = switch(value)?,
            "accelerate" => self.accelerate = switch(value)?,
            "instructions" => self.instructions = IsaLevel::named(value).ok_or(INSTRUCTIONS)?,
            "devices" => self.devices = Devices::parse(value).ok_or(DEVICES)?,
            "stats" => self.stats = Stats::parse(value)?,
            "log" => {
                self.log = match value {
                    "off" => LevelFilter::Off,
                    "info" => LevelFilter::Info,
                    "debug" => LevelFilter::Debug,
                    _ => return Err(LOG),
                }
            }
            _ => {
                return Err(
                    "the keys threads, reproducible, accelerate, instructions, devices, stats and log",
                );
            }
        }
        Ok(())
    }
}

fn switch(value: &str) -> Result<bool, &'static str> {
    match value {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(SWITCH),
    }
}

impl Stats {
    /// Parses a destination. A relative path is made absolute now.
    fn parse(value: &str) -> Result<Self, &'static str> {
        match value {
            "0" => Ok(Stats::Off),
            "1" => Ok(Stats::Stderr),
            // These words are mistakes rather than names of files.
            "true" | "false" | "yes" | "no" | "on" | "off" => Err(STATS),
            name => std::path::absolute(name).map(Stats::File).map_err(|_| STATS),
        }
    }
}
