//! The settings, and which values each accepts.

use std::path::PathBuf;

use pelton_codec::IsaLevel;

use super::devices::{DEVICES, Devices};

/// What can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Threads that compress a large stream, 1 to [`MAX_THREADS`].
    pub threads: usize,
    /// Whether the same input gives the same bytes on every machine and device.
    pub reproducible: bool,
    /// Whether anything is done in another way than zlib-rs does it.
    pub accelerate: bool,
    /// The most of the processor's instructions that our own coder takes.
    pub instructions: IsaLevel,
    /// Devices beside the caller's thread.
    pub devices: Devices,
    /// Where statistics go when the process ends.
    pub stats: Stats,
}

/// Where statistics go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stats {
    /// Nothing is counted.
    Off,
    /// To standard error.
    Stderr,
    /// To the end of this file.
    File(PathBuf),
}

/// The most threads that can be asked for: as many as a large machine has cores, and few enough to
/// be no accident.
pub const MAX_THREADS: usize = 256;

const SWITCH: &str = "0 or 1";
const THREADS: &str = "a number from 1 to 256";
const INSTRUCTIONS: &str = "avx512, avx2 or portable";
const STATS: &str = "0, 1 or the path of a file";

impl Default for Settings {
    fn default() -> Self {
        Self {
            threads: 1,
            reproducible: false,
            accelerate: true,
            instructions: IsaLevel::Avx512,
            devices: Devices::default(),
            stats: Stats::Off,
        }
    }
}

impl Settings {
    /// Sets what is called `key` in the file.
    ///
    /// # Errors
    /// What is accepted, in words, if `value` isn't. Nothing has been set then.
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
            _ => return Err("the keys threads, reproducible, accelerate, instructions, devices and stats"),
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
    /// A name is of a file, below the working folder of this moment if it is relative.
    fn parse(value: &str) -> Result<Self, &'static str> {
        match value {
            "0" => Ok(Stats::Off),
            "1" => Ok(Stats::Stderr),
            // Whoever writes these wants no file of that name.
            "true" | "false" | "yes" | "no" | "on" | "off" => Err(STATS),
            name => std::path::absolute(name).map(Stats::File).map_err(|_| STATS),
        }
    }
}
