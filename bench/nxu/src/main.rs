//! `pelton-bench-nxu`: the figures and tables of "Data Compression Accelerator on IBM POWER9 and
//! z15 Processors" (Abali and others, ISCA 2020), with the model of the engine.
//!
//! [`data`] has the files, [`runs`] puts each through the model and through software codecs,
//! [`figures`] has a module for each figure, and [`check`] compares with the paper's numbers.

#![deny(unsafe_code)]

mod check;
mod data;
mod figures;
mod package_merge;
mod plot;
mod runs;
mod sys;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use pelton_report::record::Record;

use check::summary;
use runs::Runs;

/// The packages whose speeds and sizes are compared with the model's.
const MEASURED: [&str; 2] = ["libz-sys", "zstd-sys"];

/// Reproduces the figures and tables of the paper on IBM's accelerator, by a model of it.
#[derive(Parser)]
#[command(version)]
struct Options {
    /// Folder with files of the Calgary, Canterbury and Silesia corpora, in .tar.gz and .zip
    /// archives or unpacked; without it, TPC-H's columns and generated sets are all
    #[arg(long)]
    corpora: Option<PathBuf>,
    /// Maximum megabytes of a file
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1024))]
    megabytes: u16,
    /// Folder for records, below which one is made for the day and the machine [default: no record]
    #[arg(long)]
    records: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pelton-bench-nxu: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let mut record = Record::start_on_one_core("nxu", &MEASURED);
    let (mut files, absent) = match &options.corpora {
        Some(folder) => data::corpora(folder, usize::from(options.megabytes) << 20)?,
        None => {
            let absent = "the corpora, and the numbers of them: Figure 5 on Silesia, Figure 8, the mean of Figure 9, Figures \
                          12 to 14, Table II, conflicts and latency; name their folder with --corpora";
            (Vec::new(), vec![absent.to_owned()])
        }
    };
    files.extend(data::made()?);
    let runs = Runs::new(&files)?;
    let parts = figures::all(&files, &runs);
    let summary = summary(parts.iter().flat_map(|part| &part.checks));
    println!("{summary}");
    absent.iter().for_each(|line| println!("absent: {line}"));
    record.text(
        "\"Modelled\" figures come from the model of the engine (`crates/nxu`) on the data here, \"published\" ones from \
         the paper, \"measured\" ones from this machine. Nothing ran on an accelerator.\n\n",
    );
    record.section("Numbers of the paper, and ours", &summary);
    for part in &parts {
        record.section(part.title, &part.text);
    }
    if !absent.is_empty() {
        record.section("Absent", &(absent.join(", ") + ".\n"));
    }
    if let Some(records) = &options.records {
        let plots: Vec<(&str, String)> =
            parts.iter().flat_map(|part| part.plots.iter().map(|(name, svg)| (*name, svg.clone()))).collect();
        let folder = record.write(records, &plots).map_err(|error| error.to_string())?;
        println!("record: {}/nxu.md", folder.display());
    }
    Ok(())
}
