//! `pelton-bench memory`: peak resident memory of each engine's process while it runs the TPC-H
//! queries, and while it scans a small and a large file. The difference shows memory that grows
//! with the file.

use serde::Serialize;

use super::Common;
use super::scan::SCAN;
use crate::record::{Data, Record};
use pelton_report::numbers::megabytes;
use pelton_report::table::{Columns, markdown};
use pelton_tpch::Error;
use pelton_tpch::data::cache::Dataset;
use pelton_tpch::data::codec::Codec;
use pelton_tpch::engine::rival::{Contender, Rival};
use pelton_tpch::engine::system::System;
use pelton_tpch::queries::QUERIES;

/// Options of the measurement.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// The data's codec
    #[arg(long, default_value = "gzip")]
    codec: Codec,
    /// Scale factor of the large file; as gzip, lineitem takes 150 MB at scale factor 1
    #[arg(long, default_value_t = 66.0)]
    large_sf: f64,
}

#[derive(Serialize)]
struct Peak {
    what: String,
    system: String,
    peak_bytes: Option<u64>,
    fault: Option<String>,
}

/// Runs it, prints a table and writes a record; false if an engine failed.
pub fn run(options: &Options) -> Result<bool, Error> {
    let Options { common, codec, large_sf } = options;
    let small = common.dataset(common.sf, *codec)?;
    let large = common.dataset(*large_sf, *codec)?;
    let queries: Vec<&str> = QUERIES.iter().map(|query| query.sql).collect();
    let scan = |dataset: &Dataset| format!("scan of {} MB", megabytes(dataset.files[0].bytes));
    let workloads = [
        (format!("22 queries, scale factor {}", common.sf), &small, queries.as_slice()),
        (scan(&small), &small, &[SCAN]),
        (scan(&large), &large, &[SCAN]),
    ];
    let (mut identities, mut peaks, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for (what, dataset, queries) in workloads {
        let mut cells = vec![what.clone()];
        for contender in &common.engines {
            let mut rival = Rival::open(contender, &dataset.folder, common.threads())?;
            let peak = peak(&mut rival, queries);
            let identity = rival.identity().clone();
            cells.push(peak.as_ref().map_or_else(ToString::to_string, |&bytes| megabytes(bytes)));
            peaks.push(Peak {
                what: what.clone(),
                system: identity.name.clone(),
                peak_bytes: peak.as_ref().ok().copied(),
                fault: peak.err().map(|error| error.to_string()),
            });
            if !identities.contains(&identity) {
                identities.push(identity);
            }
        }
        rows.push(cells);
    }
    report(options, identities, vec![Data::from(&small), Data::from(&large)], &rows, peaks)
}

/// Runs some queries in a fresh process; returns its peak of resident memory.
fn peak(rival: &mut Rival, queries: &[&str]) -> Result<u64, Error> {
    for sql in queries {
        rival.query(sql, false)?;
    }
    rival.peak_memory()
}

fn report(
    options: &Options,
    identities: Vec<pelton_tpch::engine::protocol::Identity>,
    data: Vec<Data>,
    rows: &[Vec<String>],
    peaks: Vec<Peak>,
) -> Result<bool, Error> {
    let engines = options.common.engines.iter().map(|contender: &Contender| format!("{contender} MB"));
    let titles: Vec<String> = std::iter::once("peak resident memory".to_owned()).chain(engines).collect();
    // The first column is the widest: "22 queries, scale factor 1".
    let columns = Columns::new(titles.clone(), 28);
    println!("{}", columns.header());
    rows.iter().for_each(|row| println!("{}", columns.line(row)));
    let all_right = peaks.iter().all(|peak| peak.fault.is_none());
    let record = Record::new("memory", identities, options.common.threads(), data, peaks);
    let folder = record.write(&options.common.records, &markdown(&titles, rows))?;
    println!("recorded in {}", folder.display());
    Ok(all_right)
}
