//! The `pelton` command, as a library: the program of that name and the Python package both are it.
//!
//! [`arguments`] is what can be asked for; each command has a module. [`sql`] runs queries and
//! writes results ([`output`]), [`tpch`] wraps `pelton-bench`, [`codecs`] measures compression on
//! the user's own files, [`advise`] says what an accelerator would do for them, [`repack`] writes
//! them with another codec, [`devices`] lists what the machine has, [`exec`] runs other programs
//! with the drop-in zlib. [`interrupt`] is Ctrl-C, [`logging`] is `-v`, [`failure`] is how a
//! command ends when it does not end well.
#![forbid(unsafe_code)]

mod advise;
mod arguments;
mod codecs;
mod devices;
#[cfg(target_os = "linux")]
mod exec;
mod failure;
mod interrupt;
mod logging;
mod output;
mod progress;
mod repack;
mod sql;
mod text;
mod tpch;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::Parser;

use arguments::{Arguments, Command};
use failure::Failure;

/// Runs the command that `arguments` ask for, the program's name first among them, and gives the
/// process's exit code. What can't be understood, and `--help`, end the process.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = Arguments::parse_from(arguments);
    logging::install(arguments.verbosity);
    failure::silence_panics();
    let result = catch_unwind(AssertUnwindSafe(|| run(arguments.command)))
        .unwrap_or_else(|panic| Err(Failure::from_panic(&*panic)));
    match result {
        Ok(()) => 0,
        Err(failure) => failure.report(),
    }
}

fn run(command: Command) -> Result<(), Failure> {
    interrupt::listen()?;
    match command {
        Command::Sql(options) => sql::run(&options),
        Command::Tpch(options) => tpch::run(&options),
        Command::Codecs(options) => codecs::run(&options),
        Command::Advise(options) => advise::run(&options),
        Command::Repack(options) => repack::run(&options),
        Command::Devices(options) => devices::run(&options),
        #[cfg(target_os = "linux")]
        Command::Exec(options) => exec::run(&options),
    }
}
