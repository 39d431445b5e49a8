//! The `pelton` command.
//!
//! [`arguments`] is what can be asked for; each command has a module. [`sql`] runs queries and writes results
//! ([`output`]), [`tpch`] wraps `pelton-bench`, [`codecs`] measures compression on the user's own files, [`advise`]
//! says what an accelerator would do for them, [`repack`] writes them with another codec, [`devices`] lists what the
//! machine has, [`exec`] runs other programs with the drop-in zlib. [`interrupt`] is Ctrl-C, [`failure`] is how a command
//! ends when it does not end well.
#![forbid(unsafe_code)]

mod advise;
mod arguments;
mod codecs;
mod devices;
#[cfg(target_os = "linux")]
mod exec;
mod failure;
mod interrupt;
mod output;
mod progress;
mod repack;
mod sql;
mod text;
mod text_table;
mod tpch;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser;
use pelton_bench::allocator::{self, MiMalloc};

use arguments::{Arguments, Command};
use failure::Failure;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    allocator::keep_freed_memory();
    let arguments = Arguments::parse();
    failure::silence_panics();
    let result = catch_unwind(AssertUnwindSafe(|| run(arguments.command)))
        .unwrap_or_else(|panic| Err(Failure::from_panic(&*panic)));
    match result {
        Ok(()) => ExitCode::SUCCESS,
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
