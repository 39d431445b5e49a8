//! `pelton-bench tpch`: the 22 queries on every engine and codec.

use super::speed::Speed;
use super::{Common, identities};
use crate::record::{Data, Record};
use pelton_tpch::Error;
use pelton_tpch::data::codec::Codec;
use pelton_tpch::engine::contest::{Open, Task, contest};
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
    let (mut data, mut results, mut tables) = (Vec::new(), Vec::new(), String::new());
    let (mut systems_seen, mut all_right) = (Vec::new(), true);
    for &codec in &options.codecs {
        let dataset = common.dataset(common.sf, codec)?;
        let mut systems = common.open(&dataset.folder)?;
        systems_seen = identities(&systems);
        let report = |what| eprintln!("{codec}: {what}");
        let open = |engine| common.open_one(engine, &dataset.folder);
        let open: Option<&Open<'_>> = if options.first_runs { Some(&open) } else { None };
        let outcomes = contest(&mut systems, &tasks, usize::from(common.runs), open, &report);
        let speed =
            Speed { codec: codec.to_string(), systems: &systems_seen, tasks: &tasks, outcomes: &outcomes };
        println!("\n{codec}\n{}", speed.plain());
        tables += &format!("## {codec}\n\n{}\n", speed.markdown());
        all_right &= !speed.has_faults();
        results.extend(speed.measured());
        data.push(Data::from(&dataset));
    }
    let record = Record::new(&options.name, systems_seen, common.threads(), data, results);
    println!("recorded in {}", record.write(&common.records, &tables)?.display());
    Ok(all_right)
}
