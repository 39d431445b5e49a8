//! The measurements that `pelton-bench` offers, each a command.

pub mod copy;
pub mod gpu;
pub mod iaa;
pub mod memory;
pub mod scan;
pub mod speed;
pub mod tpcds;
pub mod tpch;
pub mod windows;

use std::path::{Path, PathBuf};

use crate::record::{Data, Record};
use pelton_tpch::Error;
use pelton_tpch::data::cache::{Dataset, ensure};
use pelton_tpch::data::codec::Codec;
use pelton_tpch::engine::contest::{Open, Task, contest};
use pelton_tpch::engine::protocol::Identity;
use pelton_tpch::engine::rival::{Contender, Rival};
use pelton_tpch::engine::system::System;
use speed::Speed;

/// Options of every measurement.
#[derive(Clone, Debug, clap::Args)]
pub struct Common {
    /// TPC-H scale factor
    #[arg(long, default_value_t = 1.0)]
    pub sf: f64,
    /// Counted runs of each query; the median is reported
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub runs: u16,
    /// Threads of each engine
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: u16,
    /// Engines, in the order of the table's columns; pelton+SETTING=VALUE is Pelton with another
    /// setting
    #[arg(long, value_delimiter = ',', default_value = "pelton,datafusion,duckdb")]
    pub engines: Vec<Contender>,
    /// Folder for generated data [default: $XDG_CACHE_HOME/pelton, else ~/.cache/pelton]
    #[arg(long)]
    pub cache: Option<PathBuf>,
    /// Folder for records
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/records"))]
    pub records: PathBuf,
}

impl Common {
    fn threads(&self) -> usize {
        usize::from(self.threads)
    }

    /// Finds or makes a data set, saying on standard error that it is being made.
    fn dataset(&self, scale_factor: f64, codec: Codec) -> Result<Dataset, Error> {
        let cache = match &self.cache {
            Some(cache) => cache.clone(),
            None => pelton_tpch::data::cache::default_cache_folder()?,
        };
        let announced = std::sync::Once::new();
        ensure(&cache, scale_factor, codec, self.threads(), &|_| {
            announced.call_once(|| eprintln!("generating TPC-H scale factor {scale_factor} as {codec}"));
        })
    }

    /// Starts every engine on a data set, each in a process of its own.
    fn open(&self, folder: &Path) -> Result<Vec<Box<dyn System>>, Error> {
        (0..self.engines.len()).map(|engine| self.open_one(engine, folder)).collect()
    }

    fn open_one(&self, engine: usize, folder: &Path) -> Result<Box<dyn System>, Error> {
        Ok(Box::new(Rival::open(&self.engines[engine], folder, self.threads())?))
    }
}

/// Runs queries over the tables of TPC-H on every codec, prints tables and writes a record. With
/// `first_runs`, each counted run is the first query of a new process. Returns false if an engine
/// failed or returned wrong rows.
fn on_codecs(
    common: &Common,
    codecs: &[Codec],
    tasks: &[Task],
    name: &str,
    first_runs: bool,
) -> Result<bool, Error> {
    let (mut data, mut results, mut tables) = (Vec::new(), Vec::new(), String::new());
    let (mut systems_seen, mut all_right) = (Vec::new(), true);
    for &codec in codecs {
        let dataset = common.dataset(common.sf, codec)?;
        let mut systems = common.open(&dataset.folder)?;
        systems_seen = identities(&systems);
        let report = |what| eprintln!("{codec}: {what}");
        let open = |engine| common.open_one(engine, &dataset.folder);
        let open: Option<&Open<'_>> = if first_runs { Some(&open) } else { None };
        let outcomes = contest(&mut systems, tasks, usize::from(common.runs), open, &report);
        let speed = Speed { codec: codec.to_string(), systems: &systems_seen, tasks, outcomes: &outcomes };
        println!("\n{codec}\n{}", speed.plain());
        tables += &format!("## {codec}\n\n{}\n", speed.markdown());
        all_right &= !speed.has_faults();
        results.extend(speed.measured());
        data.push(Data::from(&dataset));
    }
    let record = Record::new(name, systems_seen, common.threads(), data, results);
    println!("recorded in {}", record.write(&common.records, &tables)?.display());
    Ok(all_right)
}

fn identities(systems: &[Box<dyn System>]) -> Vec<Identity> {
    systems.iter().map(|system| system.identity().clone()).collect()
}
