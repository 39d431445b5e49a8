//! `pelton exec`: runs a command with the drop-in zlib preloaded, or says why that can't be.
//!
//! [`library`] finds the zlib, [`search`] the command. [`check`] looks for obstacles to preloading,
//! in the file ([`elf`]) and in the rights that it runs with ([`rights`]).

mod check;
mod elf;
mod library;
mod rights;
mod search;

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use pelton::{ChoiceError, DeviceChoice};

use crate::failure::Failure;
use rights::User;

const PRELOAD: &str = "LD_PRELOAD";
const STATS: &str = "PELTON_ZLIB_STATS";
const THREADS: &str = "PELTON_ZLIB_THREADS";
const DEVICES: &str = "PELTON_ZLIB_DEVICES";
const LOG: &str = "PELTON_ZLIB_LOG";

/// Options of `pelton exec`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Print the zlib's statistics when a process ends, to standard error or to the end of FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    stats: Option<PathBuf>,
    /// Threads that compress a large stream, 1 to 256 [default: as in the settings, else one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Devices to use in addition to the processor, with settings after colons: iaa,
    /// iaa:windows=try,cpu, iaa-model, nx-model
    #[arg(long = "device", value_name = "LIST", value_parser = devices)]
    devices: Option<String>,
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  pelton exec -- git gc
  pelton exec --stats --threads 4 -- pg_dump -Fc shop --file shop.dump
  pelton exec --stats=/tmp/zlib.txt -- make -j8
  pelton exec --stats --device iaa-model -- pg_dump -Fc shop --file shop.dump

The command runs in this process's place: its exit code is the exit code. 2 means
that nothing can be preloaded into it (it is static, or set-uid), 126 that it can't
be run, 127 that there is none. Settings are in docs/zlib.md.";

/// Becomes the command, whose zlib logs as `-v` says. Returns only if that can't be.
pub fn run(options: &Options, verbosity: u8) -> Result<(), Failure> {
    let [name, arguments @ ..] = &options.command[..] else {
        return Err(Failure::Usage("there is no command to run".into()));
    };
    let library = library::find()?;
    let program = search::program(name)?;
    if let Some(hindrance) = check::hindrance(&program, &library, &User::of_this_process()) {
        return Err(Failure::Usage(hindrance));
    }
    let mut command = Command::new(&program);
    command.arg0(name).args(arguments).env(PRELOAD, preload(&library, std::env::var_os(PRELOAD)));
    if let Some(file) = &options.stats {
        command.env(STATS, stats(file));
    }
    if let Some(threads) = options.threads {
        command.env(THREADS, threads.to_string());
    }
    if let Some(devices) = &options.devices {
        command.env(DEVICES, devices);
    }
    if verbosity > 0 {
        command.env(LOG, if verbosity == 1 { "info" } else { "debug" });
    }
    Err(search::cannot_run(name, &command.exec()))
}

/// Checks that the zlib knows the devices of a list, and returns it unchanged.
fn devices(list: &str) -> Result<String, String> {
    let choice: DeviceChoice = list.parse().map_err(|error: ChoiceError| error.to_string())?;
    match choice.wanted().iter().find(|wanted| wanted.is_gpu()) {
        Some(gpu) => Err(format!(
            "the zlib has no {}; name some of cpu, iaa, nx, dfltcc, iaa-model, nx-model and dfltcc-model",
            gpu.name()
        )),
        None => Ok(list.to_owned()),
    }
}

/// Returns the libraries to preload: ours before those that already were.
fn preload(library: &Path, others: Option<OsString>) -> OsString {
    let mut all = library.as_os_str().to_owned();
    if let Some(others) = others.filter(|others| !others.is_empty()) {
        all.push(":");
        all.push(others);
    }
    all
}

/// Returns the absolute path of the statistics, for processes in another folder.
fn stats(file: &Path) -> OsString {
    if file.as_os_str() == OsStr::new("1") {
        return file.into();
    }
    std::path::absolute(file).unwrap_or_else(|_| file.to_owned()).into()
}

#[cfg(test)]
mod tests;
