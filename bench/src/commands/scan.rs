//! `pelton-bench scan`: every column of lineitem, with an aggregate on each.

use super::speed::Speed;
use super::{Common, identities};
use crate::record::{Data, Record};
use pelton_tpch::Error;
use pelton_tpch::data::codec::Codec;
use pelton_tpch::engine::contest::{Task, contest};

/// The query, which `pelton-bench memory` runs too.
pub(super) const SCAN: &str = include_str!("../scan.sql");

/// Options of the measurement.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// The data's codec
    #[arg(long, default_value = "gzip")]
    codec: Codec,
}

/// Runs it, prints a table and writes a record; false if an engine failed or returned other rows.
pub fn run(options: &Options) -> Result<bool, Error> {
    let Options { common, codec } = options;
    let dataset = common.dataset(common.sf, *codec)?;
    let mut systems = common.open(&dataset.folder)?;
    let tasks = [Task { name: "scan".into(), sql: SCAN.to_owned(), order_by: &[], answer: None, share: 0.0 }];
    let report = |what| eprintln!("{codec}: {what}");
    let outcomes = contest(&mut systems, &tasks, usize::from(common.runs), None, &report);
    let identities = identities(&systems);
    let speed = Speed { codec: codec.to_string(), systems: &identities, tasks: &tasks, outcomes: &outcomes };
    println!("\n{codec}\n{}", speed.plain());
    let (measured, tables) = (speed.measured(), speed.markdown());
    let all_right = !speed.has_faults();
    let record = Record::new("scan", identities, common.threads(), vec![Data::from(&dataset)], measured);
    println!("recorded in {}", record.write(&common.records, &tables)?.display());
    Ok(all_right)
}
