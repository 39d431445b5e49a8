//! `pelton-bench-deflate coder`: how small and how fast each level of each library is.

use pelton_codec::{Decoder, Format};

use crate::coders::{Coder, Family};
use crate::data::Kind;
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
    /// Levels of Pelton's coder [default: 0,1,2,3,4,5,6,7,8,9]
    #[arg(long, value_delimiter = ',')]
    levels: Vec<i32>,
}

/// Our families, and the names of their tables.
const OURS: [(Family, &str); 2] =
    [(Family::Pelton, "Pelton's gain"), (Family::PeltonAvx2, "Pelton's gain with AVX2 only")];

/// Measures, prints, and records if there is a folder for that.
pub fn run(options: &Options) -> Result<(), String> {
    let Options { common, .. } = options;
    let mut coders = options.coders()?;
    let mut record = Record::start_on_one_core("deflate-coder", &crate::MEASURED);
    let loaded = common.load()?;
    let mut cells = Vec::new();
    for &size in &common.size {
        for (kind, plain) in &loaded.data {
            let measured = measure(&mut coders, *kind, size, plain, common.runs())?;
            println!("{} {}\n{}", kind.name(), human(size), block(&measured).plain());
            cells.extend(measured);
        }
    }
    let front = Front::new(cells);
    let gains = || OURS.into_iter().filter(|(family, _)| coders.iter().any(|coder| coder.family == *family));
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
    fn coders(&self) -> Result<Vec<Coder>, String> {
        let levels = |family| match family {
            Family::Pelton if !self.levels.is_empty() => &self.levels,
            _ => family.levels(),
        };
        let all_of = |family: Family| levels(family).iter().map(move |&level| family.at(level));
        if self.contender.is_empty() {
            return Family::ALL.into_iter().flat_map(all_of).collect();
        }
        let mut coders = Vec::new();
        for name in &self.contender {
            match Family::ALL.into_iter().find(|family| family.name() == name) {
                Some(family) => coders.extend(all_of(family).collect::<Result<Vec<_>, _>>()?),
                None => coders.push(Family::named(name)?),
            }
        }
        Ok(coders)
    }
}

/// Checks and measures every coder on the blocks of one cell.
fn measure(
    coders: &mut [Coder],
    kind: Kind,
    size: usize,
    plain: &[u8],
    runs: usize,
) -> Result<Vec<Cell>, String> {
    // More than any library's bound.
    let mut output = vec![0; size + size / 4 + 4096];
    let mut packed = Vec::with_capacity(coders.len());
    for coder in coders.iter_mut() {
        packed.push(check(coder, size, plain, &mut output).map_err(|what| {
            format!("{}: {what}, on {} in blocks of {}", coder.name(), kind.name(), human(size))
        })?);
    }
    let seconds = medians(runs, coders.len(), |index| {
        for block in plain.chunks(size) {
            std::hint::black_box((coders[index].compress)(block, &mut output));
        }
    });
    let cells = coders.iter().zip(packed).zip(seconds);
    Ok(cells
        .map(|((coder, packed), seconds)| Cell {
            kind,
            size,
            name: coder.name(),
            family: coder.family,
            plain: plain.len() as f64,
            packed: packed as f64,
            seconds,
        })
        .collect())
}

/// Compresses every block, decompresses it with another library, compares, and counts the
/// compressed bytes.
fn check(coder: &mut Coder, size: usize, plain: &[u8], output: &mut [u8]) -> Result<usize, String> {
    let mut back = vec![0; size];
    let (mut inflate, mut zstd) = (Inflate::new(), Decoder::new());
    let mut packed = 0;
    for (index, block) in plain.chunks(size).enumerate() {
        let produced = (coder.compress)(block, output);
        let back = &mut back[..block.len()];
        back.fill(!block[0]);
        let right = match coder.family {
            Family::Zstd => zstd.decompress(Format::Zstd, &output[..produced], back).is_ok(),
            _ => inflate.decompress(&output[..produced], back),
        };
        if !right || back != block {
            return Err(format!("block {index} does not decompress to what it was"));
        }
        packed += produced;
    }
    Ok(packed)
}

/// The table of one cell.
fn block(cells: &[Cell]) -> TextTable {
    let mut table = TextTable::of_numbers(["coder", "ratio", "MB/s"]);
    for cell in cells {
        table.row([
            cell.name.clone(),
            format!("{:.3}", cell.plain / cell.packed),
            format!("{:.0}", cell.plain / cell.seconds / 1e6),
        ]);
    }
    table
}

#[cfg(test)]
mod tests;
