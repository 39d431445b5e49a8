//! `pelton-bench-deflate inflate`: speed of each library on streams of several encoders.

use pelton_codec::BatchIsaLevel;

use crate::data::Kind;
use crate::encoders::Family;
use crate::inflaters::{Inflater, NAMES, batch, rival};
use crate::measure::{geometric_mean, medians};
use crate::options::{Common, human};
use pelton_report::record::Record;
use pelton_report::table::TextTable;

/// Options of the measurement.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// Libraries that decompress; libdeflate, which the others are compared with, always does
    #[arg(long, value_delimiter = ',', default_values_t = NAMES.map(String::from))]
    contender: Vec<String>,
    /// Encoders that write the streams
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "zlib6,libdeflate1,libdeflate6,igzip1,pelton1,pelton6"
    )]
    writer: Vec<String>,
    /// Also Pelton with at most this number of streams in a batch, on blocks of 64 KB; single
    /// streams, with 1, on all blocks
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..))]
    batches: Vec<u16>,
    /// Also Pelton with each of these implementations, for every stream: one-by-one, portable, avx2
    /// or avx512
    #[arg(long, value_delimiter = ',')]
    implementation: Vec<BatchIsaLevel>,
}

/// Library that all are compared with.
const REFERENCE: &str = "libdeflate";
/// Block size on which batches of several streams are measured.
const BATCHES_AT: usize = 64 << 10;

/// Measures, prints, and records if there is a folder for that.
pub fn run(options: &Options) -> Result<(), String> {
    let common = &options.common;
    let mut record = Record::start_on_one_core("deflate-inflate", &crate::MEASURED);
    let mut writers = options.writer.iter().map(|name| Family::named(name)).collect::<Result<Vec<_>, _>>()?;
    let loaded = common.load()?;
    let mut tables = Vec::new();
    let mut summary = TextTable::of_numbers(["blocks", "library", "mean", "mean but random", "least"]);
    for &size in &common.size {
        let mut inflaters = options.inflaters(size)?;
        let names: Vec<&str> = inflaters.iter().map(|inflater| inflater.name.as_str()).collect();
        let mut table = TextTable::of_numbers(titles(&names));
        let mut speedups = vec![Vec::new(); names.len()];
        for (kind, uncompressed) in &loaded.data {
            for (writer, name) in writers.iter_mut().zip(&options.writer) {
                let cell = format!("{} {} {name}", kind.name(), human(size));
                eprintln!("{cell}");
                let (compressed, speeds) =
                    measure(&mut inflaters, &mut writer.compress, size, uncompressed, common.runs())
                        .map_err(|who| format!("{cell}: {who} does not decompress it to what it was"))?;
                let reference = reference(&inflaters, &speeds);
                let mut row = vec![cell, format!("{:.2}", uncompressed.len() as f64 / compressed as f64)];
                row.extend(speeds.iter().map(|speed| format!("{speed:.0}")));
                for (index, speed) in speeds.iter().enumerate() {
                    speedups[index].push((*kind, speed / reference));
                    if inflaters[index].name != REFERENCE {
                        row.push(format!("{:.2}", speed / reference));
                    }
                }
                table.row(row);
            }
        }
        println!("{}", table.plain());
        for (inflater, speedups) in inflaters.iter().zip(&speedups).filter(|(i, _)| i.name != REFERENCE) {
            summarise(&mut summary, size, &inflater.name, speedups);
        }
        tables.push((format!("MB/s and times libdeflate's, {} blocks", human(size)), table.markdown()));
    }
    println!("{}", summary.plain());
    if let Some(records) = &common.records {
        record.skipped(&loaded.skipped);
        record.section("Times libdeflate's speed", &summary.markdown());
        tables.iter().for_each(|(title, table)| record.section(title, table));
        println!("recorded in {}", record.write(records, &[]).map_err(|error| error.to_string())?.display());
    }
    Ok(())
}

impl Options {
    /// Returns the contenders on blocks of a size, with the reference among them.
    fn inflaters(&self, size: usize) -> Result<Vec<Inflater>, String> {
        let mut inflaters = Vec::new();
        for name in NAMES {
            if name == REFERENCE || self.contender.iter().any(|asked| asked == name) {
                inflaters.push(match rival(name) {
                    Some(rival) => rival,
                    None => batch(usize::MAX, None)?,
                });
            }
        }
        if let Some(unknown) = self.contender.iter().find(|name| !NAMES.contains(&name.as_str())) {
            return Err(format!("no library {unknown}: there are {}", NAMES.join(", ")));
        }
        for &implementation in &self.implementation {
            inflaters.push(batch(usize::MAX, Some(implementation))?);
        }
        for &streams in self.batches.iter().filter(|&&streams| streams == 1 || size == BATCHES_AT) {
            inflaters.push(batch(usize::from(streams), None)?);
        }
        Ok(inflaters)
    }
}

/// Returns the compressed bytes and the MB/s of each contender; the error is the name of a wrong
/// one.
fn measure(
    inflaters: &mut [Inflater],
    write: &mut dyn FnMut(&[u8], &mut [u8]) -> usize,
    size: usize,
    uncompressed: &[u8],
    runs: usize,
) -> Result<(usize, Vec<f64>), String> {
    let mut capacity = vec![0; size + size / 4 + 4096];
    let mut pack = |block| {
        let produced = write(block, &mut capacity);
        capacity[..produced].to_vec()
    };
    let compressed: Vec<Vec<u8>> = uncompressed.chunks(size).map(&mut pack).collect();
    let mut outputs: Vec<Vec<u8>> = uncompressed.chunks(size).map(|block| vec![0; block.len()]).collect();
    for inflater in inflaters.iter_mut() {
        outputs.iter_mut().for_each(|output| output.fill(0xA5));
        let right = (inflater.decompress)(&compressed, &mut outputs);
        if !right || !uncompressed.chunks(size).eq(outputs.iter()) {
            return Err(inflater.name.clone());
        }
    }
    let seconds = medians(runs, inflaters.len(), |index| {
        std::hint::black_box((inflaters[index].decompress)(&compressed, &mut outputs));
    });
    let speeds = seconds.into_iter().map(|seconds| uncompressed.len() as f64 / seconds / 1e6).collect();
    Ok((compressed.iter().map(Vec::len).sum(), speeds))
}

fn reference(inflaters: &[Inflater], speeds: &[f64]) -> f64 {
    let index = inflaters.iter().position(|inflater| inflater.name == REFERENCE);
    index.map_or(f64::NAN, |index| speeds[index])
}

fn titles(names: &[&str]) -> Vec<String> {
    let mut titles = vec!["cell".to_owned(), "ratio".to_owned()];
    titles.extend(names.iter().map(|&name| name.to_owned()));
    titles.extend(names.iter().filter(|&&name| name != REFERENCE).map(|name| format!("{name} x")));
    titles
}

/// Adds the geometric mean and the minimum of a contender's speeds relative to the reference, for
/// blocks of one size.
fn summarise(table: &mut TextTable, size: usize, name: &str, speedups: &[(Kind, f64)]) {
    let mean = geometric_mean(speedups.iter().map(|(_, speedup)| *speedup));
    let compressed = speedups.iter().filter(|(kind, _)| *kind != Kind::Random);
    let compressed = geometric_mean(compressed.map(|(_, speedup)| *speedup));
    let min = speedups.iter().map(|(_, speedup)| *speedup).fold(f64::INFINITY, f64::min);
    let figures = [mean, compressed, min].map(|figure| format!("{figure:.2}"));
    table.row([human(size), name.to_owned()].into_iter().chain(figures));
}

#[cfg(test)]
mod tests;
