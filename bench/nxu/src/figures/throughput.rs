//! Figures 13 and 14, Tables I and II: time by size, T = T0 + size / bandwidth (section VIII-D).
//!
//! Bandwidths are the model's; setup times are those that the paper's Table II publishes, since
//! most of a setup is software. Software is measured here, on one thread.

use pelton_codec::{Decoder, Encoder, Format, compress_bound};
use pelton_nxu::{Config, Setup};
use pelton_report::numbers::median;
use pelton_report::plot::chart::{Chart, Scale, Series};
use pelton_report::table::TextTable;

use crate::check::{Check, Form, Part, Source};
use crate::data::{File, Group};
use crate::runs::{LEVEL, Run, Runs};
use crate::sys::{Stream, thread_seconds};

/// Sizes of a job, in bytes.
const SIZES: [usize; 8] = [1 << 10, 4 << 10, 16 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20];
/// Size of Table I.
const OF_TABLE_1: usize = 256 << 10;
/// Bytes that software is measured on, and rounds.
const SAMPLE: usize = 4 << 20;
const ROUNDS: usize = 3;

/// Processor of an accelerator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Processor {
    Power9,
    Z15,
}

/// Direction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Compress,
    Decompress,
}

/// A row of Table II; its numbers are the configuration's.
struct Row {
    processor: Processor,
    way: Way,
    threads: u32,
}

const fn row(processor: Processor, way: Way, threads: u32) -> Row {
    Row { processor, way, threads }
}

const TABLE_2: [Row; 8] = [
    row(Processor::Power9, Way::Compress, 1),
    row(Processor::Z15, Way::Compress, 1),
    row(Processor::Power9, Way::Compress, 8),
    row(Processor::Z15, Way::Compress, 8),
    row(Processor::Power9, Way::Decompress, 1),
    row(Processor::Z15, Way::Decompress, 1),
    row(Processor::Power9, Way::Decompress, 8),
    row(Processor::Z15, Way::Decompress, 8),
];

impl Row {
    fn name(&self) -> String {
        let (processor, way) = (self.processor.name(), self.way.name());
        let plural = if self.threads == 1 { "" } else { "s" };
        format!("{processor}, {way}, {} thread{plural}", self.threads)
    }

    /// Returns the published setup.
    fn setup(&self) -> Setup {
        let config = self.processor.config();
        let setups = match self.way {
            Way::Compress => config.compress,
            Way::Decompress => config.decompress,
        };
        if self.threads == 1 { setups.alone } else { setups.shared }
    }

    /// Returns the model's bandwidth in bytes a second. POWER9 takes a table from its cache and so
    /// passes the source once; z15 samples it.
    fn bandwidth(&self, run: &Run) -> f64 {
        let cycles = match (self.processor, self.way) {
            (Processor::Power9, Way::Compress) => run.p9.total(),
            (Processor::Z15, Way::Compress) => run.sampled_cycles,
            (_, Way::Decompress) => run.decompress_cycles,
        };
        run.bytes as f64 / self.processor.config().seconds(cycles)
    }

    /// Returns the bytes a second of a job.
    fn speed(&self, size: usize, run: &Run) -> f64 {
        size as f64 / (self.setup().seconds + size as f64 / self.bandwidth(run))
    }
}

impl Processor {
    fn name(self) -> &'static str {
        match self {
            Processor::Power9 => "POWER9",
            Processor::Z15 => "z15",
        }
    }

    fn config(self) -> Config {
        match self {
            Processor::Power9 => Config::P9,
            Processor::Z15 => Config::Z15,
        }
    }
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Compress => "compress",
            Way::Decompress => "decompress",
        }
    }
}

/// Measured bytes a second of a codec on this machine: compression and decompression.
struct Software {
    name: &'static str,
    speeds: [f64; 2],
}

/// Returns the parts: both figures, and both tables.
pub fn parts(files: &[File], runs: &Runs<'_>) -> Vec<Part> {
    let (name, run) = match runs.sum_of(&Group::CORPORA, OF_TABLE_1) {
        Some(run) => ("the corpora's files of 256 KB or more", run),
        None => ("TPC-H and generated sets", runs.sum(&Group::ALL).unwrap_or_default()),
    };
    let zlib: Vec<[f64; 2]> = SIZES.iter().map(|&size| zlib(&blocks(files, size))).collect();
    let mut parts: Vec<Part> =
        [Way::Compress, Way::Decompress].map(|way| figure(way, name, &run, &zlib)).into_iter().collect();
    parts.push(table_1(files, &run));
    parts.push(table_2(&run));
    if runs.sum(&Group::CORPORA).is_none() {
        // The paper's numbers are of such files.
        parts.iter_mut().for_each(|part| part.checks.clear());
    }
    parts
}

fn figure(way: Way, name: &str, run: &Run, zlib: &[[f64; 2]]) -> Part {
    let (title, file, figure) = match way {
        Way::Compress => ("Figure 13: compression by size", "nxu-13-compression.svg", "Fig. 13"),
        Way::Decompress => ("Figure 14: decompression by size", "nxu-14-decompression.svg", "Fig. 14"),
    };
    let rows: Vec<&Row> = TABLE_2.iter().filter(|row| row.way == way).collect();
    let sizes = SIZES.map(|size| format!("{} KB", size >> 10));
    let mut table = TextTable::of_numbers(["GB/s".to_owned()].into_iter().chain(sizes));
    let mut series = Vec::new();
    for row in &rows {
        let speeds = SIZES.map(|size| row.speed(size, run) / 1e9);
        table.row([row.name()].into_iter().chain(speeds.map(|speed| format!("{speed:.2}"))));
        let points = SIZES.map(|size| size as f64 / 1024.0).into_iter().zip(speeds).collect();
        series.push(Series { name: row.name(), points, is_dashed: row.threads > 1 });
    }
    let speeds: Vec<f64> = zlib.iter().map(|speeds| speeds[way as usize] / 1e9).collect();
    let here = format!("zlib -{LEVEL} here, 1 thread");
    table.row([here.clone()].into_iter().chain(speeds.iter().map(|speed| format!("{speed:.3}"))));
    let points = SIZES.map(|size| size as f64 / 1024.0).into_iter().zip(speeds).collect();
    series.push(Series { name: here, points, is_dashed: false });
    let note = format!("bandwidth modelled on {name}, setup times published; zlib measured here");
    let chart = Chart {
        title,
        notes: &[note],
        x: ("size of a job, KB", Scale::Logarithmic),
        y: ("GB/s", Scale::Logarithmic),
        series: &series,
        marks: &[],
    };
    let mut checks = Vec::new();
    for row in rows.iter().filter(|row| row.threads == 8) {
        let (paper, expected, why) = match (row.way, row.processor) {
            (Way::Compress, Processor::Power9) => ("more than 7", 7.0..=f64::INFINITY, ""),
            (Way::Compress, Processor::Z15) => (
                "15",
                14.5..=16.0,
                "a pass alone has more (section IV-D below); the sample takes a ninth of it, and the table's cycles \
                 follow on the sample's. The paper does not say on which file it has 15.",
            ),
            (Way::Decompress, processor) => (
                if processor == Processor::Power9 { "8.5, by Table II" } else { "9.4, by Table II" },
                8.0..=10.0,
                "the model has the decoder alone: 32 bits in, 8 codes and 8 bytes out a cycle. At these ratios \
                 the 8 bytes decide in most cycles, and the paper's totals are near half of them. The paper \
                 does not say which part is slower; the model charges nothing for matches that need \
                 bytes of the same cycle and for the loading of tables.",
            ),
        };
        checks.push(Check {
            place: figure,
            what: format!("{}, {}, peak in GB/s", row.processor.name(), row.way.name()),
            paper,
            expected,
            ours: row.bandwidth(run) / 1e9,
            form: Form::Number(1),
            source: Source::Modelled,
            why,
        });
    }
    let text = format!("{}\n![{title}]({file})\n", table.markdown());
    Part { title, text, checks, plots: vec![(file, chart.draw())] }
}

fn table_1(files: &[File], run: &Run) -> Part {
    let blocks = blocks(files, OF_TABLE_1);
    let software = [
        Software { name: "zlib -6", speeds: zlib(&blocks) },
        Software { name: "Zstandard", speeds: codec(Format::Zstd, &blocks) },
        Software { name: "LZ4", speeds: codec(Format::Lz4, &blocks) },
    ];
    // POWER9 and z15 by turns: compression, then decompression.
    let paper = [["388", "574", "34", "30"], ["32", "78", "8.3", "10"], ["19", "38", "2.8", "3.5"]];
    let rows: Vec<&Row> = TABLE_2.iter().filter(|row| row.threads == 1).collect();
    let mut table =
        TextTable::of_numbers(["NXU over".to_owned()].into_iter().chain(rows.iter().flat_map(|row| {
            let name = format!("{}, {}", row.processor.name(), row.way.name());
            [format!("{name}: paper"), "here".to_owned()]
        })));
    for (Software { name, speeds }, paper) in software.iter().zip(paper) {
        let cells = rows.iter().zip(paper).flat_map(|(row, paper)| {
            let ours = row.speed(OF_TABLE_1, run) / speeds[row.way as usize];
            [paper.to_owned(), format!("{ours:.1}")]
        });
        table.row([(*name).to_owned()].into_iter().chain(cells));
    }
    let measured = software.iter().map(|software| {
        let [compress, decompress] = software.speeds.map(|speed| speed / 1e6);
        format!("{} {compress:.0} and {decompress:.0}", software.name)
    });
    let implied = |row: &Row, speedup: f64| row.setup().bandwidth() / speedup / 1e6;
    let text = format!(
        "Jobs of 256 KB, one thread. The paper compares with threads of its own processors (SMT4 on POWER9), we with one \
         of this machine, so that the factors differ as the processors do. MB/s here, compressing and decompressing: {}. \
         By Tables I and II, a thread's zlib compresses {:.0} MB/s on POWER9 and {:.0} on z15. With more threads, the paper's \
         factors over zlib are 49 (8 threads) and 13 (80) compressing on POWER9, 72 (8) on z15, and 4.6 (8), 0.75 (80) and \
         3.8 (8) decompressing.\n\n{}",
        measured.collect::<Vec<_>>().join(", "),
        implied(&TABLE_2[0], 388.0),
        implied(&TABLE_2[1], 574.0),
        table.markdown()
    );
    Part { title: "Table I: speed-up over software", text, ..Part::default() }
}

fn table_2(run: &Run) -> Part {
    let mut table = TextTable::of_numbers([
        "",
        "T0 µs, published",
        "half-peak KB, paper",
        "half-peak KB, ours",
        "GB/s, by the paper's two",
        "GB/s, model",
    ]);
    let mut checks = Vec::new();
    for row in &TABLE_2 {
        let bandwidth = row.bandwidth(run);
        let half_peak = row.setup().seconds * bandwidth;
        table.row([
            row.name(),
            format!("{:.2}", 1e6 * row.setup().seconds),
            format!("{:.0}", row.setup().half_peak / 1024.0),
            format!("{:.1}", half_peak / 1024.0),
            format!("{:.1}", row.setup().bandwidth() / 1e9),
            format!("{:.1}", bandwidth / 1e9),
        ]);
        if row.way == Way::Compress {
            checks.push(Check {
                place: "Table II",
                what: format!("half-peak size over the paper's: {}", row.name()),
                paper: "1",
                expected: 0.8..=1.25,
                ours: half_peak / row.setup().half_peak,
                form: Form::Number(2),
                source: Source::Published,
                why: "the paper's sizes are read off its plot, as powers of two or near.",
            });
        }
    }
    let text = format!(
        "Half of the peak is reached at T0 times bandwidth. The paper's text says that the hardware's part of T0 is 0.55 \
         to 0.73 µs; its table has 0.78 for z15.\n\n{}",
        table.markdown()
    );
    Part { title: "Table II: setup times and half-peak sizes", text, checks, ..Part::default() }
}

/// Returns blocks of a size from all over the files: the first of each file, then the second.
fn blocks(files: &[File], size: usize) -> Vec<&[u8]> {
    let corpora = files.iter().filter(|file| Group::CORPORA.contains(&file.group));
    let mut rest: Vec<&[u8]> = match corpora.clone().next() {
        Some(_) => corpora.flat_map(|file| &file.blocks).map(Vec::as_slice).collect(),
        None => files.iter().flat_map(|file| &file.blocks).map(Vec::as_slice).collect(),
    };
    let (mut blocks, mut bytes) = (Vec::new(), 0);
    while bytes < SAMPLE && !rest.is_empty() {
        rest.retain_mut(|data| {
            let (block, others) = data.split_at(size.min(data.len()));
            if !block.is_empty() && bytes < SAMPLE {
                bytes += block.len();
                blocks.push(block);
            }
            *data = others;
            !others.is_empty()
        });
    }
    blocks
}

fn zlib(blocks: &[&[u8]]) -> [f64; 2] {
    let streams: Vec<Stream> = blocks.iter().map(|block| Stream::compress(LEVEL, block)).collect();
    let mut target = vec![0; blocks.iter().map(|block| block.len()).max().unwrap_or(0)];
    [
        speed(blocks, |_, block| {
            Stream::compress(LEVEL, block);
        }),
        speed(blocks, |index, block| streams[index].decompress(&mut target[..block.len()])),
    ]
}

fn codec(format: Format, blocks: &[&[u8]]) -> [f64; 2] {
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    let mut compress = |block: &[u8], target: &mut Vec<u8>| {
        target.resize(compress_bound(format, block.len()), 0);
        let done = encoder.compress(format, format.default_level(), block, target);
        target.truncate(done.map_or(0, |done| done.produced));
    };
    let compressed: Vec<Vec<u8>> = blocks
        .iter()
        .map(|block| {
            let mut target = Vec::new();
            compress(block, &mut target);
            target
        })
        .collect();
    let mut target = Vec::new();
    let into = speed(blocks, |_, block| compress(block, &mut target));
    let mut back = vec![0; blocks.iter().map(|block| block.len()).max().unwrap_or(0)];
    let from = speed(blocks, |index, block| {
        let done = decoder.decompress(format, &compressed[index], &mut back[..block.len()]);
        assert!(done.is_ok() && back[..block.len()] == **block, "{format} reads its own blocks");
    });
    [into, from]
}

/// Returns the bytes a second of a function over all blocks: the median of some rounds.
fn speed(blocks: &[&[u8]], mut run: impl FnMut(usize, &&[u8])) -> f64 {
    let bytes: usize = blocks.iter().map(|block| block.len()).sum();
    let mut round = || {
        let started = thread_seconds();
        blocks.iter().enumerate().for_each(|(index, block)| run(index, block));
        thread_seconds() - started
    };
    bytes as f64 / median(&(0..ROUNDS).map(|_| round()).collect::<Vec<f64>>())
}
