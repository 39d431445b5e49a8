//! `pelton-bench copy`: DuckDB writes a table as Parquet, with its own writer and with Pelton's.

use std::fs;
use std::path::Path;

use serde::Serialize;

use super::Common;
use crate::record::{Data, Record};
use pelton_report::numbers::{median, megabytes, ms};
use pelton_report::table::{Columns, markdown};
use pelton_tpch::Error;
use pelton_tpch::data::codec::Codec;
use pelton_tpch::engine::rival::{Contender, Rival};
use pelton_tpch::engine::system::System;

/// Options of the measurement.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// Codecs to write
    #[arg(long, value_delimiter = ',', default_value = "gzip,zstd,snappy")]
    codecs: Vec<String>,
    /// Table to write
    #[arg(long, default_value = "lineitem")]
    table: String,
}

/// Both writers: the copied rows, and COPY's options before the codec. Pelton's gets rows as
/// structs, which have the columns' names.
const WRITERS: [(&str, &str, &str); 2] = [
    ("Pelton", "select r from rows_to_write as r", "format pelton, codec"),
    ("DuckDB", "from rows_to_write", "format parquet, compression"),
];

/// One writer's times for one codec.
#[derive(Serialize)]
struct Measured {
    codec: String,
    writer: &'static str,
    runs_ms: Vec<f64>,
    bytes: u64,
}

/// Runs it, prints a table and writes a record; false if the files don't hold the same rows.
pub fn run(options: &Options) -> Result<bool, Error> {
    let common = &options.common;
    let dataset = common.dataset(common.sf, Codec::Snappy)?;
    let mut duckdb = Rival::open(&Contender::DuckDbPelton, &dataset.folder, common.threads())?;
    let folder = tempfile::tempdir().map_err(|e| Error::io(Path::new("a temporary folder"), e))?;
    duckdb.query(&format!("create temp table rows_to_write as from {}", options.table), false)?;
    let (mut all, mut same) = (Vec::new(), true);
    for codec in &options.codecs {
        let mut measured = WRITERS.map(|(writer, ..)| Measured {
            codec: codec.clone(),
            writer,
            runs_ms: Vec::new(),
            bytes: 0,
        });
        let path = |writer: &str| folder.path().join(format!("{writer}-{codec}.parquet"));
        // the first run of each is not counted
        for run in 0..=usize::from(common.runs) {
            eprintln!("{codec}: run {run} of {}", common.runs);
            for turn in 0..WRITERS.len() {
                let index = (turn + run) % WRITERS.len();
                let (writer, rows, how) = WRITERS[index];
                let to = path(writer);
                let sql = format!("copy ({rows}) to '{}' ({how} '{codec}')", to.display());
                let answered = duckdb.query(&sql, false)?;
                if run > 0 {
                    measured[index].runs_ms.push(answered.ms);
                }
                measured[index].bytes = fs::metadata(&to).map_err(|e| Error::io(&to, e))?.len();
            }
        }
        let [ours, theirs] =
            WRITERS.map(|(writer, ..)| format!("from read_parquet('{}')", path(writer).display()));
        let differences =
            format!("(({ours}) except all ({theirs})) union all (({theirs}) except all ({ours}))");
        let differing = duckdb.query(&differences, false)?.row_count;
        if differing > 0 {
            eprintln!("{codec}: {differing} rows differ between the files");
            same = false;
        }
        all.extend(measured);
    }
    let columns = Columns::new(titles(), 8);
    println!("\n{}", columns.header());
    all.chunks(WRITERS.len()).for_each(|pair| println!("{}", columns.line(&row(pair))));
    let rows: Vec<Vec<String>> = all.chunks(WRITERS.len()).map(row).collect();
    let (data, systems) = (vec![Data::from(&dataset)], vec![duckdb.identity().clone()]);
    let record = Record::new("duckdb-copy", systems, common.threads(), data, &all);
    println!("recorded in {}", record.write(&common.records, &markdown(&titles(), &rows))?.display());
    Ok(same)
}

fn titles() -> Vec<String> {
    ["codec", "Pelton ms", "DuckDB ms", "times as fast", "Pelton MB", "DuckDB MB", "bytes of DuckDB's"]
        .map(Into::into)
        .to_vec()
}

fn row(pair: &[Measured]) -> Vec<String> {
    let [ours, theirs] = pair else { return Vec::new() };
    let (our_ms, their_ms) = (median(&ours.runs_ms), median(&theirs.runs_ms));
    vec![
        ours.codec.clone(),
        ms(our_ms),
        ms(their_ms),
        format!("{:.2}", their_ms / our_ms),
        megabytes(ours.bytes),
        megabytes(theirs.bytes),
        format!("{:.3}", ours.bytes as f64 / theirs.bytes as f64),
    ]
}
