//! `pelton-bench iaa`: the codec tables of "A Hot Take on the Intel Analytics Accelerator for
//! Database Management Systems" (Laspias, Pavlo and Patel, ADMS 2025), with this machine's CPU and
//! the model of an IAA.
//!
//! The paper compresses each table's uncompressed Parquet file in large blocks, and for one figure
//! page by page. Its figures were printed without numbers, so only the numbers of its Table 1 can
//! be compared ([`paper`]).

mod blocks;
mod codec;
mod paper;
mod tables;

use serde::Serialize;

use super::Common;
use crate::record::{Data, Record};
use blocks::Blocks;
use codec::{Codec, Figures};
use pelton_tpch::Error;
use pelton_tpch::data::codec::Codec as ParquetCodec;
use pelton_tpch::data::table::Table;
use pelton_tpch::engine::protocol::Identity;

/// The tables that the paper shows: it leaves out region and nation, which have 5 and 25 rows.
const TABLES: [Table; 6] =
    [Table::Lineitem, Table::Orders, Table::Partsupp, Table::Part, Table::Customer, Table::Supplier];

/// Options of the measurement.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// Megabytes of each table to try, taken evenly from all of it
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..))]
    megabytes: u16,
    /// Kilobytes of a large block; an IAA takes up to 2048 in one descriptor as systems are usually
    /// set up
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u16).range(4..))]
    block: u16,
}

/// One codec on one table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The codec with its level and device.
    pub codec: String,
    /// In large blocks.
    pub large: Figures,
    /// Ratio page by page.
    pub page_ratio: f64,
}

/// All codecs on one table.
#[derive(Clone, Debug, Serialize)]
pub struct TableFigures {
    /// The table.
    pub table: &'static str,
    /// Bytes that were tried in large blocks, and page by page.
    pub bytes: [u64; 2],
    /// One for each codec.
    pub rows: Vec<Row>,
}

/// Runs it, prints the tables and writes a record.
pub fn run(options: &Options) -> Result<bool, Error> {
    let Options { common, megabytes, block } = options;
    let dataset = common.dataset(common.sf, ParquetCodec::None)?;
    let (max, block) = (usize::from(*megabytes) * 1_000_000, usize::from(*block) << 10);
    let codecs = Codec::all()?;
    let mut results = Vec::new();
    for table in TABLES {
        let Some(file) = dataset.files.iter().find(|file| file.table == table) else { continue };
        let large = Blocks::of_file(&file.path, block, max)?;
        let pages = Blocks::of_pages(&file.path, max)?;
        let mut rows = Vec::new();
        for codec in &codecs {
            eprintln!("{}: {}", table.name(), codec.name);
            let large = codec.measure(&large, usize::from(common.runs))?;
            let page_ratio = codec.ratio(&pages)?;
            rows.push(Row { codec: codec.name.clone(), large, page_ratio });
        }
        let figures = TableFigures { table: table.name(), bytes: [large.bytes, pages.bytes], rows };
        println!("\n{}", tables::plain(&figures));
        results.push(figures);
    }
    println!("{}\n{}", tables::NOTE, paper::NOTE);
    let markdown: String = results.iter().map(tables::markdown).collect();
    let markdown = format!("{markdown}{}\n\n{}\n", tables::NOTE, paper::NOTE);
    let identity = Identity { name: "Pelton".into(), version: env!("CARGO_PKG_VERSION").into() };
    let record = Record::new("iaa", vec![identity], 1, vec![Data::from(&dataset)], results);
    println!("recorded in {}", record.write(&common.records, &markdown)?.display());
    Ok(true)
}
