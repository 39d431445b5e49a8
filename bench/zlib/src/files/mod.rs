//! Real files of ten kinds in streams, both ways, against every other implementation: a table, and
//! means and extremes over the files.

mod inputs;

use crate::contest::{Common, Taken, turns};
use crate::libraries::{self, Library};
use crate::report::{Metric, Report};
use crate::sys::cpu::thread_seconds;
use crate::sys::libdeflate::{Deflate, Inflate};
use crate::sys::zlib::{Stream, Way, Zlib, load, load_without_acceleration};
use inputs::Input;

const METRICS: [Metric; 2] = [
    Metric { name: "MB/s of CPU", digits: 1, compared: true },
    Metric { name: "bytes", digits: 0, compared: true },
];
const LEVELS: [i32; 3] = [1, 6, 9];
/// windowBits of a raw stream, as libdeflate's takes no checksum into account.
const RAW: i32 = -15;
/// Place of Debian's zlib.
const DEBIAN: usize = 1;
/// Input of a call.
const PIECE: usize = 16 << 10;

/// Files to compress.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Only files with this in their name
    #[arg(long, default_value = "")]
    only: String,
    /// Most megabytes of each
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    megabytes: u16,
    /// Levels
    #[arg(long, value_delimiter = ',', default_values_t = LEVELS, value_parser = clap::value_parser!(i32).range(1..=9))]
    level: Vec<i32>,
    #[command(flatten)]
    common: Common,
}

/// An implementation.
enum Contestant {
    /// A libz.so.1, which gets pieces.
    Streams(Box<Zlib>),
    /// libdeflate, which gets the whole file.
    Libdeflate,
}

/// Runs them all.
pub fn run(options: &Options) -> Result<(), String> {
    let mut libraries = libraries::all()?;
    let mut contestants: Vec<Contestant> =
        libraries.iter().map(|library| Contestant::Streams(Box::new(load(&library.path)))).collect();
    let plain = libraries::copy_of_ours()?;
    contestants.push(Contestant::Streams(Box::new(load_without_acceleration(&plain))));
    libraries.push(Library { name: "zlib-rs", path: plain });
    contestants.push(Contestant::Libdeflate);
    libraries.push(Library { name: "libdeflate", path: Default::default() });

    let (inputs, missing) = inputs::all(usize::from(options.megabytes) << 20);
    missing.iter().for_each(|line| eprintln!("left out, {line}"));
    let mut report = Report::start("zlib-files", &libraries, &["file", "operation"], &METRICS).with_means();
    for Input { name, from, bytes } in inputs.iter().filter(|input| input.name.contains(&options.only)) {
        eprintln!("{name}: {} bytes, {from}", bytes.len());
        report.note(format!("{name}: {} bytes, {from}", bytes.len()));
        for &level in &options.level {
            let taken = contest(&contestants, bytes, level, options.common.runs())?;
            report.add(vec![(*name).into(), format!("deflate -{level}")], taken);
        }
        for reading in [Reading::Pieces, Reading::Whole] {
            let taken = decompress(&contestants, bytes, reading, options.common.runs())?;
            report.add(vec![(*name).into(), reading.name().into()], taken);
        }
    }
    report.finish(&options.common)
}

/// Calls that a stream is decompressed by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Many: pieces of the stream, with room for as many bytes.
    Pieces,
    /// One with all of it.
    Whole,
}

impl Reading {
    fn name(self) -> &'static str {
        match self {
            Self::Pieces => "inflate, pieces",
            Self::Whole => "inflate, one call",
        }
    }
}

/// Decompresses a stream of Debian's zlib at its usual level with every implementation in turn.
fn decompress(
    contestants: &[Contestant],
    bytes: &[u8],
    reading: Reading,
    runs: usize,
) -> Result<Vec<Taken>, String> {
    let Contestant::Streams(debian) = &contestants[DEBIAN] else {
        return Err("Debian's zlib comes second".into());
    };
    let mut stream = vec![0; bytes.len() + bytes.len() / 8 + 1024];
    let len = Stream::begin(debian, Way::Deflate { level: 6 }, RAW).whole(bytes, &mut stream);
    let stream = &stream[..len];
    // room for a byte more, as a stream without room has not ended
    let mut output = vec![0; bytes.len() + 1];
    turns(runs, contestants.len(), |number| {
        output.fill(0);
        let start = thread_seconds();
        let got = match (&contestants[number], reading) {
            (Contestant::Streams(zlib), Reading::Pieces) => {
                Stream::begin(zlib, Way::Inflate, RAW).pieces_back(stream, PIECE, &mut output)
            }
            (Contestant::Streams(zlib), Reading::Whole) => {
                Stream::begin(zlib, Way::Inflate, RAW).whole(stream, &mut output)
            }
            (Contestant::Libdeflate, _) => {
                if Inflate::new().decompress(stream, &mut output[..bytes.len()]) {
                    bytes.len()
                } else {
                    0
                }
            }
        };
        let seconds = thread_seconds() - start;
        if output[..got] != *bytes {
            return Err(format!("implementation {number} read something else"));
        }
        Ok(vec![bytes.len() as f64 / 1e6 / seconds, got as f64])
    })
}

/// Compresses a file with every implementation in turn. The first output of each is decompressed by
/// Debian's zlib.
fn contest(contestants: &[Contestant], bytes: &[u8], level: i32, runs: usize) -> Result<Vec<Taken>, String> {
    let mut output = vec![0; bytes.len() + bytes.len() / 8 + 1024];
    let mut back = vec![0; bytes.len()];
    let mut is_checked = vec![false; contestants.len()];
    let Contestant::Streams(debian) = &contestants[DEBIAN] else {
        return Err("Debian's zlib comes second".into());
    };
    turns(runs, contestants.len(), |number| {
        let start = thread_seconds();
        let len = match &contestants[number] {
            Contestant::Streams(zlib) => {
                Stream::begin(zlib, Way::Deflate { level }, RAW).pieces(bytes, PIECE, &mut output)
            }
            Contestant::Libdeflate => Deflate::new(level).compress(bytes, &mut output),
        };
        let seconds = thread_seconds() - start;
        if !std::mem::replace(&mut is_checked[number], true) {
            let got = Stream::begin(debian, Way::Inflate, RAW).whole(&output[..len], &mut back);
            if back[..got] != *bytes {
                return Err(format!("implementation {number} wrote something else at level {level}"));
            }
        }
        Ok(vec![bytes.len() as f64 / 1e6 / seconds, len as f64])
    })
}
