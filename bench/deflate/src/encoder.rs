//! `pelton-bench-deflate coder`: ratio and speed of each level of each library.

use pelton_codec::{Decoder, Format};

use crate::data::Kind;
use crate::encoders::{Encoder, Family};
use crate::front::{Cell, Front};
use crate::measure::medians;
use crate::options::{Common, human};
use crate::plot::plot;
use crate::sys::zlib::stock::Inflate;
use pelton_report::record::Record;
use pelton_report::table::TextTable;

/// Options of the measurement.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// Libraries, or one level of them: igzip,libdeflate1 [default: all]
    #[arg(long, value_delimiter = ',')]
    contender: Vec<String>,
    /// Levels of Pelton's encoder [default: 0,1,2,3,4,5,6,7,8,9]
    #[arg(long, value_delimiter = ',')]
    levels: Vec<i32>,
}

/// Our families, and the names of their tables.
const OURS: [(Family, &str); 2] =
    [(Family::Pelton, "Pelton's gain"), (Family::PeltonAvx2, "Pelton's gain with AVX2 only")];

/// Measures, prints, and records if there is a folder for that.
pub fn run(options: &Options) -> Result<(), String> {
    let Options { common, .. } = options;
    let mut encoders = options.encoders()?;
    let mut record = Record::start_on_one_core("deflate-coder", &crate::MEASURED);
    let loaded = common.load()?;
    let mut cells = Vec::new();
    for &size in &common.size {
        for (kind, uncompressed) in &loaded.data {
            let measured = measure(&mut encoders, *kind, size, uncompressed, common.runs())?;
            println!("{} {}\n{}", kind.name(), human(size), block(&measured).plain());
            cells.extend(measured);
        }
    }
    let front = Front::new(cells);
    let gains =
        || OURS.into_iter().filter(|(family, _)| encoders.iter().any(|encoder| encoder.family == *family));
    for (family, gain) in gains() {
        for &size in &common.size {
            println!("{} blocks, {gain}\n{}", human(size), front.gains(family, Some(size)).plain());
        }
        println!("all blocks, {gain}\n{}", front.gains(family, None).plain());
    }
    if let Some(records) = &common.records {
        record.skipped(&loaded.skipped);
        for (family, gain) in gains() {
            record.section(&format!("{gain}, all blocks"), &front.gains(family, None).markdown());
            for &size in &common.size {
                let title = format!("{gain}, {} blocks", human(size));
                record.section(&title, &front.gains(family, Some(size)).markdown());
            }
        }
        for &size in &common.size {
            record.section(&format!("Ratio and MB/s, {} blocks", human(size)), &front.table(size).markdown());
        }
        let others = [("deflate-front.svg", plot(&front.panels())), ("deflate-coder.csv", front.csv())];
        let folder = record.write(records, &others).map_err(|error| error.to_string())?;
        println!("recorded in {}", folder.display());
    }
    Ok(())
}

impl Options {
    /// Returns the requested contenders, library by library. A requested level need not be one of
    /// the default ones.
    fn encoders(&self) -> Result<Vec<Encoder>, String> {
        let levels = |family| match family {
            Family::Pelton if !self.levels.is_empty() => &self.levels,
            _ => family.levels(),
        };
        let all_of = |family: Family| levels(family).iter().map(move |&level| family.at(level));
        if self.contender.is_empty() {
            return Family::ALL.into_iter().flat_map(all_of).collect();
        }
        let mut encoders = Vec::new();
        for name in &self.contender {
            match Family::ALL.into_iter().find(|family| family.name() == name) {
                Some(family) => encoders.extend(all_of(family).collect::<Result<Vec<_>, _>>()?),
                None => encoders.push(Family::named(name)?),
            }
        }
        Ok(encoders)
    }
}

/// Checks and measures every encoder on the blocks of one cell.
fn measure(
    encoders: &mut [Encoder],
    kind: Kind,
    size: usize,
    uncompressed: &[u8],
    runs: usize,
) -> Result<Vec<Cell>, String> {
    // More than any library's bound.
    let mut output = vec![0; size + size / 4 + 4096];
    let mut compressed = Vec::with_capacity(encoders.len());
    for encoder in encoders.iter_mut() {
        compressed.push(check(encoder, size, uncompressed, &mut output).map_err(|what| {
            format!("{}: {what}, on {} in blocks of {}", encoder.name(), kind.name(), human(size))
        })?);
    }
    let seconds = medians(runs, encoders.len(), |index| {
        for block in uncompressed.chunks(size) {
            std::hint::black_box((encoders[index].compress)(block, &mut output));
        }
    });
    let cells = encoders.iter().zip(compressed).zip(seconds);
    Ok(cells
        .map(|((encoder, compressed), seconds)| Cell {
            kind,
            size,
            name: encoder.name(),
            family: encoder.family,
            uncompressed: uncompressed.len() as f64,
            compressed: compressed as f64,
            seconds,
        })
        .collect())
}

/// Compresses every block, decompresses it with another library, compares, and counts the
/// compressed bytes.
fn check(
    encoder: &mut Encoder,
    size: usize,
    uncompressed: &[u8],
    output: &mut [u8],
) -> Result<usize, String> {
    let mut back = vec![0; size];
    let (mut inflate, mut zstd) = (Inflate::new(), Decoder::new());
    let mut compressed = 0;
    for (index, block) in uncompressed.chunks(size).enumerate() {
        let produced = (encoder.compress)(block, output);
        let back = &mut back[..block.len()];
        back.fill(!block[0]);
        let right = match encoder.family {
            Family::Zstd => zstd.decompress(Format::Zstd, &output[..produced], back).is_ok(),
            _ => inflate.decompress(&output[..produced], back),
        };
        if !right || back != block {
            return Err(format!("block {index} does not decompress to what it was"));
        }
        compressed += produced;
    }
    Ok(compressed)
}

/// Returns the table of one cell.
fn block(cells: &[Cell]) -> TextTable {
    let mut table = TextTable::of_numbers(["coder", "ratio", "MB/s"]);
    for cell in cells {
        table.row([
            cell.name.clone(),
            format!("{:.3}", cell.uncompressed / cell.compressed),
            format!("{:.0}", cell.uncompressed / cell.seconds / 1e6),
        ]);
    }
    table
}

#[cfg(test)]
mod tests;
