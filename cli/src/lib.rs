//! The `pelton` command, as a library for the program of that name and for the Python package.
//!
//! [`arguments`] declares the command line; each command has a module. [`sql`] runs queries and
//! writes results ([`output`]), [`substrait`] runs plans of other programs, [`tpch`] runs the
//! TPC-H queries, [`codecs`] measures compression on the user's own files, [`advise`] estimates
//! the effect of an accelerator on them, [`repack`] writes them with another codec, [`devices`]
//! lists the machine's devices, [`manual`] has completions and manual pages, [`exec`] runs other
//! programs with the drop-in zlib. [`interrupt`] handles Ctrl-C, [`logging`] is `-v`, [`failure`]
//! has messages and exit codes.
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
mod manual;
mod options;
mod output;
mod progress;
mod repack;
mod sql;
mod substrait;
mod tpch;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::{CommandFactory, Parser};

use arguments::{Arguments, Command};
use failure::Failure;

/// Runs the command that `arguments` name, the program's name first among them, and returns the
/// exit code. Arguments that don't parse, and `--help`, end the process.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = Arguments::parse_from(arguments);
    logging::install(arguments.verbosity);
    failure::silence_panics();
    let result = catch_unwind(AssertUnwindSafe(|| run(arguments)))
        .unwrap_or_else(|panic| Err(Failure::from_panic(&*panic)));
    match result {
        Ok(()) => 0,
        Err(failure) => {
            if failure == Failure::Cancelled {
                // threads of a COPY may still be inside of a longer step
                pelton::remove_partial_files();
            }
            failure.report(interrupt::exit_code())
        }
    }
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    interrupt::listen()?;
    match arguments.command {
        Command::Sql(options) => sql::run(&options),
        Command::Substrait(options) => substrait::run(&options),
        Command::Tpch(options) => tpch::run(&options),
        Command::Codecs(options) => codecs::run(&options),
        Command::Advise(options) => advise::run(&options),
        Command::Repack(options) => repack::run(&options),
        Command::Devices(options) => devices::run(&options),
        Command::Completions(options) => manual::completions(&options, Arguments::command()),
        Command::Man(options) => manual::man(&options, Arguments::command()),
        #[cfg(target_os = "linux")]
        Command::Exec(options) => exec::run(&options, arguments.verbosity),
    }
}
