//! `pelton sql`: queries from the command line, a file, standard input or a prompt.

mod meta;
mod prompt;
mod runner;
mod statements;
mod stats;

use std::fs;
use std::io::{self, IsTerminal, Read};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use pelton::settings::{
    ANY_ORDER, DEVICE, Definition, ENCODED_FILTERS, MEMORY, PROFILE, Size, THREADS, VERIFY_CHECKSUMS,
};
use pelton::{DeviceChoice, Engine};

use crate::failure::{Failure, note};
use crate::options::{Table, threads};
use crate::output::Format;
pub use runner::Runner;

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
    #[command(flatten)]
    run: RunOptions,
    /// Run the statements in a file first, such as SET and CREATE VIEW; the prompt then leaves
    /// ~/.config/pelton/init.sql out
    #[arg(long, value_name = "FILE")]
    init: Option<PathBuf>,
}

/// Options of commands that run queries: tables, the form of the rows, and the engine's settings.
#[derive(clap::Args)]
pub struct RunOptions {
    /// Name some files: a file, a folder (its key=value folders become columns), a glob or a URL;
    /// may be repeated
    #[arg(short, long = "table", value_name = "NAME=PATH")]
    tables: Vec<Table>,
    /// Format of the rows [default: that of the extension of --output, else table]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write the rows to a file, local or in a store (s3://, gs://, az://), which appears under its
    /// name only when it is whole
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Rows that a table shows; 0 for all
    #[arg(long, value_name = "N", default_value_t = 40)]
    max_rows: usize,
    #[arg(long, value_name = "N", help = with_default(&THREADS))]
    threads: Option<NonZeroUsize>,
    #[arg(long = "device", value_name = "LIST", help = with_default(&DEVICE))]
    devices: Option<DeviceChoice>,
    #[arg(long, value_name = "SIZE", help = with_default(&MEMORY))]
    memory: Option<Size>,
    #[arg(long, help = VERIFY_CHECKSUMS.description)]
    verify_checksums: bool,
    #[arg(long, help = switched_off(&ENCODED_FILTERS))]
    no_encoded_filters: bool,
    #[arg(long, help = ANY_ORDER.description)]
    any_order: bool,
    #[arg(long, value_name = "FILE.html", help = PROFILE.description)]
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
  A folder of Parquet files, one for each year and month:
    pelton sql \"COPY 'trips.parquet' TO 'trips' (FORMAT parquet, PARTITION_BY (year, month))\"
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
  Settings, in statements too; SHOW ALL lists them:
    pelton sql \"SET threads = 2; SELECT count(*) FROM 'trips.parquet'\"
  A prompt; .help there says more:
    pelton sql --table trips=data/trips/

Besides queries: CREATE TABLE and CREATE VIEW, which last until the command ends,
INSERT, ALTER ... RENAME, DROP, COPY, PREPARE, EXECUTE, DESCRIBE, SUMMARIZE, SHOW
TABLES, EXPLAIN, SET, RESET and SHOW, CREATE SECRET and DROP SECRET; with a GPU CACHE
TABLE, UNCACHE TABLE and EXPLAIN CUDA. COPY ... TO writes files, and no other statement
does. The prompt begins with the statements in ~/.config/pelton/init.sql, if there are
any.";

impl RunOptions {
    fn format(&self) -> Format {
        let by_extension = || Format::of_path(self.output.as_deref()?);
        self.format.or_else(by_extension).unwrap_or(Format::Table)
    }
}

/// Returns the help of an option, made of its setting.
fn with_default(definition: &Definition) -> String {
    let (description, default) = (definition.description, definition.default);
    format!("{description} [default: {default}]")
}

/// Returns the help of an option that turns a switch off.
fn switched_off(definition: &Definition) -> String {
    format!("Turn the setting {} off: {}", definition.name, definition.description)
}

/// Runs it.
pub fn run(options: &Options) -> Result<(), Failure> {
    let runner = Runner::new(&options.run, engine(&options.run)?);
    if let Some(path) = &options.init {
        runner.file(path)?;
    }
    if let Some(query) = &options.query {
        return runner.script(query);
    }
    if let Some(path) = &options.file {
        let text = fs::read_to_string(path).map_err(|error| Failure::file(path, &error))?;
        return runner.script(&text);
    }
    let single = options.run.output.is_some() || options.run.format() == Format::Parquet;
    match (io::stdin().is_terminal(), single) {
        (true, true) => Err(Failure::Usage("--output and --format parquet need a query or --file".into())),
        (true, false) => prompt::run(runner, options.init.is_some()),
        // The whole input is read first, to see that it is one statement.
        (false, true) => {
            let mut text = String::new();
            let read = io::stdin().lock().read_to_string(&mut text);
            read.map_err(|error| Failure::Error(format!("standard input: {error}")))?;
            runner.script(&text)
        }
        (false, false) => {
            runner.stream(io::stdin().lock(), "standard input")?;
            runner.redirect(None)
        }
    }
}

/// Opens an engine with the settings and tables of the options.
///
/// # Errors
/// A device is missing, or a table's files can't be read.
pub fn engine(options: &RunOptions) -> Result<Engine, Failure> {
    let mut engine = Engine::builder()
        .threads(threads(options.threads))
        .verify_checksums(options.verify_checksums)
        .encoded_filters(!options.no_encoded_filters)
        .any_order(options.any_order);
    if let Some(path) = &options.profile {
        engine = engine.profile_page(path);
    }
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

#[cfg(test)]
mod tests;
