//! `pelton-bench windows`: window functions over the tables of TPC-H on every engine.

use super::{Common, on_codecs};
use pelton_tpch::Error;
use pelton_tpch::data::codec::Codec;
use pelton_tpch::engine::contest::Task;

/// The queries: a line with the name and lines of SQL each, with an empty line between them.
const QUERIES: &str = include_str!("../windows.sql");

/// Share by which sums of doubles may differ, which engines add up in another order.
const SUMS: f64 = 1e-9;

/// Options of the measurement.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// Codecs of the data
    #[arg(long, value_delimiter = ',', default_value = "zstd")]
    codecs: Vec<Codec>,
    /// Name of the record's files
    #[arg(long, default_value = "windows")]
    name: String,
}

/// Runs it, prints tables and writes a record; false if an engine failed or returned other rows.
pub fn run(options: &Options) -> Result<bool, Error> {
    let tasks: Vec<Task> = QUERIES.split("\n\n").skip(1).filter_map(task).collect();
    on_codecs(&options.common, &options.codecs, &tasks, &options.name, false)
}

fn task(query: &str) -> Option<Task> {
    let (name, sql) = query.trim().strip_prefix("-- ")?.split_once('\n')?;
    Some(Task { name: name.to_owned(), sql: sql.to_owned(), order_by: &[], answer: None, share: SUMS })
}
