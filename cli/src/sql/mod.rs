//! `pelton sql`: queries from the command line, a file, standard input or a prompt.

mod meta;
mod profile;
mod prompt;
mod runner;
mod statements;
mod stats;

use std::fs;
use std::io::{self, IsTerminal, Read};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueEnum;
use pelton::{DeviceChoice, Engine};

use crate::failure::{Failure, note};
use crate::options::{Table, threads};
use crate::output::Format;
use pelton::Size;
use runner::Runner;

/// Options of `pelton sql`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// SQL to run: one statement, or several with `;` between them
    #[arg(conflicts_with = "file")]
    query: Option<String>,
    /// Run the statements in a file
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Name some files: a file, a folder (its key=value folders become columns), a glob or a URL;
    /// may be repeated
    #[arg(short, long = "table", value_name = "NAME=PATH")]
    tables: Vec<Table>,
    /// Format of the rows [default: that of the extension of --output, else table]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write the rows to a file, which appears under its name only when it is whole
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Rows that a table shows; 0 for all
    #[arg(long, value_name = "N", default_value_t = 40)]
    max_rows: usize,
    /// Threads that run queries and decompress [default: the machine's cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Devices to use, such as cpu,iaa or cuda: see `pelton devices` [default: PELTON_DEVICES, else
    /// all available ones except a GPU]
    #[arg(long = "device", value_name = "LIST")]
    devices: Option<DeviceChoice>,
    /// Memory that queries may use, such as 2GB; sorts and aggregates spill to disk beyond it,
    /// joins on equal keys end with an error [default: no limit]
    #[arg(long, value_name = "SIZE")]
    memory: Option<Size>,
    /// Check the checksum of every page that has one
    #[arg(long)]
    verify_checksums: bool,
    /// Decode columns with parquet-rs before conditions are evaluated, in place of deciding on
    /// dictionary codes; for comparing
    #[arg(long)]
    no_encoded_filters: bool,
    /// Give rows without ORDER BY as they are ready, in any order [default: in the order of the
    /// files' rows]
    #[arg(long)]
    any_order: bool,
    /// Write a page that shows the work of each query over time: reads, copies, decompression,
    /// kernels
    #[arg(long, value_name = "FILE.html")]
    profile: Option<PathBuf>,
    /// After the rows, print the read and decompressed amounts by device, and the time, on standard
    /// error
    #[arg(long)]
    stats: bool,
}

const EXAMPLES: &str = "\
Examples:
  A file, by its path:
    pelton sql \"SELECT vendor, sum(total) FROM 'trips/*.parquet' GROUP BY vendor\"
  A named table, and the result as CSV:
    pelton sql --table trips=data/trips/ --output sums.csv \\
        \"SELECT vendor, sum(total) FROM trips GROUP BY vendor\"
  Recompress a file:
    pelton sql --output trips.zstd.parquet \"SELECT * FROM 'trips.parquet'\"
  Statements from a file, in 4 threads and 2 GB of memory, and what they took:
    pelton sql --file report.sql --threads 4 --memory 2GB --stats
  What it did when, as a page for a browser:
    pelton sql --profile trips.html \"SELECT avg(total) FROM 'trips.parquet'\"
  On a GPU, and what ran there:
    pelton sql --device cuda \"EXPLAIN SELECT count(*) FROM 'trips.parquet'\"
  From standard input:
    echo \"SELECT 1\" | pelton sql --format json
  A prompt; .help there says more:
    pelton sql --table trips=data/trips/

Besides queries: CREATE TABLE and CREATE VIEW, which last until the command ends,
INSERT, ALTER ... RENAME, DROP, PREPARE, EXECUTE, DESCRIBE, SUMMARIZE, SHOW TABLES and
EXPLAIN; with a GPU CACHE TABLE, UNCACHE TABLE and EXPLAIN CUDA. No statement changes
a file.";

impl Options {
    fn format(&self) -> Format {
        let extension = self.output.as_ref().and_then(|file| file.extension()?.to_str());
        let by_extension = || Format::from_str(extension?, true).ok();
        self.format.or_else(by_extension).unwrap_or(Format::Table)
    }
}

/// Runs it.
pub fn run(options: &Options) -> Result<(), Failure> {
    let runner = Runner::new(options, engine(options)?);
    if let Some(query) = &options.query {
        return runner.script(query);
    }
    if let Some(path) = &options.file {
        let text = fs::read_to_string(path).map_err(|error| Failure::file(path, &error))?;
        return runner.script(&text);
    }
    let single = options.output.is_some() || options.format() == Format::Parquet;
    match (io::stdin().is_terminal(), single) {
        (true, true) => Err(Failure::Usage("--output and --format parquet need a query or --file".into())),
        (true, false) => prompt::run(runner),
        // The whole input is read first, to see that it is one statement.
        (false, true) => {
            let mut text = String::new();
            let read = io::stdin().lock().read_to_string(&mut text);
            read.map_err(|error| Failure::Error(format!("standard input: {error}")))?;
            runner.script(&text)
        }
        (false, false) => runner.stream(io::stdin().lock()),
    }
}

fn engine(options: &Options) -> Result<Engine, Failure> {
    let mut engine = Engine::builder()
        .threads(threads(options.threads))
        .verify_checksums(options.verify_checksums)
        .encoded_filters(!options.no_encoded_filters)
        .any_order(options.any_order)
        .profile(options.profile.is_some());
    if let Some(devices) = &options.devices {
        engine = engine.devices(devices.clone());
    }
    if let Some(Size(bytes)) = options.memory {
        engine = engine.memory_limit(bytes);
    }
    let engine = engine.build()?;
    engine.notes().iter().for_each(|line| note(line));
    for table in &options.tables {
        engine.register(&table.name, &table.location)?;
    }
    Ok(engine)
}
