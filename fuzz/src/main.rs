//! `pelton-fuzz`: runs fuzz targets for a time, or one on one input.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use pelton_fuzz::allocator::Limited;
use pelton_fuzz::run::{Options, SLOW, run_target};
use pelton_fuzz::targets::TARGETS;

#[global_allocator]
static ALLOCATOR: Limited = Limited;

/// Runs fuzz targets on mutated inputs, and stops at the first that panics.
#[derive(Parser)]
struct Arguments {
    /// The targets to run; all, if none is named.
    targets: Vec<String>,
    /// Time for each target, in seconds.
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Start of the sequence of mutations.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Run the named targets on this file alone.
    #[arg(long)]
    input: Option<PathBuf>,
    /// Print the targets' names.
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.list {
        TARGETS.iter().for_each(|target| println!("{}", target.name));
        return ExitCode::SUCCESS;
    }
    if let Some(unknown) = arguments.targets.iter().find(|name| TARGETS.iter().all(|t| t.name != **name)) {
        eprintln!("no target is named '{unknown}'; --list prints those that there are");
        return ExitCode::FAILURE;
    }
    let named = |name: &str| arguments.targets.is_empty() || arguments.targets.iter().any(|n| n == name);

    if let Some(path) = &arguments.input {
        let input = match std::fs::read(path) {
            Ok(input) => input,
            Err(e) => {
                eprintln!("{}: {e}", path.display());
                return ExitCode::FAILURE;
            }
        };
        TARGETS.iter().filter(|target| named(target.name)).for_each(|target| (target.run)(&input));
        println!("{} bytes: nothing is wrong", input.len());
        return ExitCode::SUCCESS;
    }

    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    // Also false for NaN, so that from_secs_f64 below can't panic.
    if !(0.0..=1e9).contains(&arguments.seconds) {
        eprintln!("--seconds takes a number from 0 to 1e9");
        return ExitCode::FAILURE;
    }
    let options = Options {
        time: Duration::from_secs_f64(arguments.seconds),
        seed: arguments.seed,
        folder,
        slow: SLOW,
    };
    for target in TARGETS.iter().filter(|target| named(target.name)) {
        match run_target(target, &options) {
            Ok(executions) => println!("{:12} {executions:>9} executions, nothing is wrong", target.name),
            Err(failure) => {
                eprintln!("{}: {failure}", target.name);
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
