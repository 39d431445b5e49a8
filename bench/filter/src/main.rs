//! `pelton-bench-filter`: filters on packed values against reading their bytes, and against
//! arrow-rs on unpacked values.
//!
//! [`data`] makes values, in enough copies to be read from memory or from a cache; [`operations`]
//! has the contenders for each operation, [`contest`] runs them in turn, and [`report`] makes
//! tables of their times.

#![deny(unsafe_code)]

mod contest;
mod data;
mod operations;
mod report;
mod sys;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use data::Place;
use operations::Operation;
use pelton_report::record::Record;

/// The packages that are measured.
const MEASURED: [&str; 2] = ["arrow-ord", "arrow-select"];

/// Measures scan, select and expand on packed values: one core, contenders in turn, this thread's
/// CPU time, medians.
#[derive(Parser)]
#[command(
    version,
    after_help = "Example:\n  pelton-bench-filter --widths 1,8,13 --operations scan --places memory"
)]
struct Options {
    /// Bits of a value [default: 1 to 32]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=32))]
    widths: Vec<u32>,
    /// Operations [default: all]
    #[arg(long, value_delimiter = ',')]
    operations: Vec<Operation>,
    /// Places that the values are read from [default: both]
    #[arg(long, value_delimiter = ',')]
    places: Vec<Place>,
    /// Values in a vector
    #[arg(long, default_value_t = 1 << 20)]
    values: usize,
    /// Megabytes that each contender reads from memory: several times the last-level cache
    #[arg(long, default_value_t = 128)]
    megabytes: usize,
    /// Number of counted runs; their median is reported
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Folder for records, below which one is made for the day and the machine [default: no record]
    #[arg(long)]
    records: Option<PathBuf>,
}

fn main() -> ExitCode {
    match sys::cpu::pin() {
        Ok(core) => eprintln!("on core {core}"),
        Err(reason) => eprintln!("not on one core ({reason}): run it with taskset -c 0"),
    }
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pelton-bench-filter: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let widths = if options.widths.is_empty() { (1..=32).collect() } else { options.widths.clone() };
    let all = |of: &[Operation]| if of.is_empty() { Operation::ALL.to_vec() } else { of.to_vec() };
    let places = if options.places.is_empty() { Place::ALL.to_vec() } else { options.places.clone() };
    let mut record = Record::start_on_one_core("filter", &MEASURED);
    for operation in all(&options.operations) {
        for &place in &places {
            let mut cells = Vec::new();
            for &width in &widths {
                let vector = data::Vector::new(width, options.values);
                cells.push(operation.measure(
                    &vector,
                    place,
                    options.megabytes << 20,
                    options.runs.into(),
                )?);
                eprintln!("{} {}", report::title(operation, place), cells[cells.len() - 1].line());
            }
            let table = report::table(&cells);
            println!("{}\n\n{}", report::title(operation, place), table.plain());
            record.section(&report::title(operation, place), &report::section(operation, &cells, &table));
        }
    }
    if let Some(records) = &options.records {
        eprintln!("{}", record.write(records, &[]).map_err(|error| error.to_string())?.display());
    }
    Ok(())
}
