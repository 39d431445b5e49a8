//! `pelton-bench tpch`: the 22 queries on every engine and codec.

use super::{Common, on_codecs};
use pelton_tpch::Error;
use pelton_tpch::data::codec::Codec;
use pelton_tpch::engine::contest::Task;
use pelton_tpch::queries::choose;

/// Options of the measurement.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// Codecs of the data
    #[arg(long, value_delimiter = ',', default_value = "gzip,snappy,zstd,lz4_raw")]
    codecs: Vec<Codec>,
    /// Queries, such as 1,6,12-14
    #[arg(long, default_value = "1-22")]
    queries: String,
    /// Count the first run of each query in a new process, instead of later runs in one process
    #[arg(long)]
    first_runs: bool,
    /// Name of the record's files
    #[arg(long, default_value = "tpch")]
    name: String,
}

/// Runs it, prints tables and writes a record; false if an engine failed or returned wrong rows.
pub fn run(options: &Options) -> Result<bool, Error> {
    let common = &options.common;
    let queries = choose(&options.queries)?;
    let tasks: Vec<Task> = queries
        .iter()
        .map(|query| Task {
            name: format!("Q{}", query.number),
            sql: query.sql.to_owned(),
            order_by: query.order_by,
            answer: query.answer(common.sf),
            share: 0.0,
        })
        .collect();
    on_codecs(common, &options.codecs, &tasks, &options.name, options.first_runs)
}
