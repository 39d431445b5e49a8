//! Arguments of the command line. The options of each command are in its module.

use clap::{Parser, Subcommand};

#[cfg(target_os = "linux")]
use crate::exec;
use crate::{advise, codecs, devices, manual, repack, sql, substrait, tpch};

/// SQL over Parquet that stays compressed until the last moment.
#[derive(Parser)]
#[command(name = "pelton", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Arguments {
    /// Log to standard error: devices opened, fallbacks, spills; twice for more
    #[arg(short = 'v', long = "verbose", action = clap::ArgAction::Count, global = true)]
    pub verbosity: u8,
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  pelton sql \"SELECT count(*) FROM 'trips.parquet'\"
  pelton substrait --table trips=trips.parquet plan.pb
  pelton tpch --sf 1
  pelton codecs trips.parquet
  pelton advise trips.parquet
  pelton repack trips.parquet small.parquet --codec gzip --window 4k
  pelton devices
  pelton exec --stats -- git gc

`pelton COMMAND --help` has more of each. Ctrl-C stops a command cleanly, a second
Ctrl-C at once.";

#[derive(Subcommand)]
pub enum Command {
    /// Run SQL over Parquet files; without a query, a prompt
    Sql(sql::Options),
    /// Run Substrait plans of other programs, and make plans of SQL
    Substrait(substrait::Options),
    /// Run the TPC-H queries and check their answers
    Tpch(tpch::Options),
    /// Measure every codec, level and device on your own files
    Codecs(codecs::Options),
    /// Estimate the effect of an accelerator on your own files
    Advise(advise::Options),
    /// Write Parquet files with another codec; all else in them stays
    Repack(repack::Options),
    /// List the devices that decompress, and why others are not there
    Devices(devices::Options),
    /// Print a script that completes this command's options in a shell
    Completions(manual::Completions),
    /// Print the manual page of this command, or write those of all its commands
    Man(manual::Man),
    /// Run a command with the drop-in zlib preloaded
    #[cfg(target_os = "linux")]
    Exec(exec::Options),
}
