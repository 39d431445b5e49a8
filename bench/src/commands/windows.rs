//! `pelton-bench windows`: window functions over the tables of TPC-H on every engine.

use super::speed::Speed;
use super::{Common, identities};
use crate::record::{Data, Record};
use pelton_tpch::Error;
use pelton_tpch::data::codec::Codec;
use pelton_tpch::engine::contest::{Task, contest};

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
    let common = &options.common;
    let tasks: Vec<Task> = QUERIES.split("\n\n").skip(1).filter_map(task).collect();
    let (mut data, mut results, mut tables) = (Vec::new(), Vec::new(), String::new());
    let (mut systems_seen, mut all_right) = (Vec::new(), true);
    for &codec in &options.codecs {
        let dataset = common.dataset(common.sf, codec)?;
        let mut systems = common.open(&dataset.folder)?;
        systems_seen = identities(&systems);
        let report = |what| eprintln!("{codec}: {what}");
        let outcomes = contest(&mut systems, &tasks, usize::from(common.runs), None, &report);
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

fn task(query: &str) -> Option<Task> {
    let (name, sql) = query.trim().strip_prefix("-- ")?.split_once('\n')?;
    Some(Task { name: name.to_owned(), sql: sql.to_owned(), order_by: &[], answer: None, share: SUMS })
}
