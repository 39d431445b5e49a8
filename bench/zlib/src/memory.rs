//! Memory of open streams: what each of thousands adds to its process.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use clap::ValueEnum;

use crate::contest::{Common, turns};
use crate::data::Kind;
use crate::libraries;
use crate::report::{Metric, Report};
use crate::sys::zlib::{Flush, Stream, Way, Zlib, load};

const METRICS: [Metric; 1] = [Metric { name: "KB a stream", digits: 1, compared: true }];
/// windowBits of a zlib stream.
const ZLIB: i32 = 15;
const LEVEL: i32 = 6;
/// Bytes that a short message has.
const SHORT: usize = 1000;
/// Bytes that exceed a window, and are no whole block.
const LONG: usize = 100_000;

/// Streams to open.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Streams that are open at a time; a tenth of them of compressors amid data, which take long
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    streams: u32,
    /// Only this state
    #[arg(long)]
    state: Option<State>,
    /// Measures this library in this process, and prints bytes; for the processes of this program
    #[arg(long, hide = true, requires = "state")]
    library: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

/// State of the open streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum State {
    /// Compressors without input
    Compressors,
    /// Compressors behind 1 KB and a sync flush
    Flushed,
    /// Compressors amid 100 KB
    Compressing,
    /// Decompressors without input
    Decompressors,
    /// Decompressors that have written 1 KB
    Short,
    /// Decompressors that have written 100 KB
    Decompressing,
}

/// Runs them all.
pub fn run(options: &Options) -> Result<(), String> {
    let count = options.streams as usize;
    if let (Some(library), Some(state)) = (&options.library, options.state) {
        println!("{}", state.measure(&load(library), count)?);
        return Ok(());
    }
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let libraries = libraries::all()?;
    let mut report = Report::start("zlib-memory", &libraries, &["streams", "state"], &METRICS);
    for &state in State::value_variants().iter().filter(|&&state| options.state.is_none_or(|of| of == state))
    {
        let value = state.to_possible_value().ok_or("a state has a name")?;
        let name = value.get_name().to_owned();
        let count = if state == State::Compressing { count.div_ceil(10) } else { count };
        let help = value.get_help().map_or_else(|| name.clone(), ToString::to_string);
        // Each in a process of its own, as libraries keep memory that streams have had.
        let taken = turns(options.common.runs(), libraries.len(), |number| {
            let mut child = Command::new(&program);
            child.args(["memory", "--state", &name, "--streams", &count.to_string(), "--library"]);
            let output = child.arg(&libraries[number].path).output().map_err(|error| error.to_string())?;
            let text = String::from_utf8_lossy(&output.stdout);
            let bytes: f64 = text.trim().parse().map_err(|_| {
                format!("{}: {}", libraries[number].name, String::from_utf8_lossy(&output.stderr))
            })?;
            Ok(vec![bytes / 1024.0])
        })?;
        report.add(vec![count.to_string(), help], taken);
    }
    report.finish(&options.common)
}

impl State {
    /// Opens streams of a library and returns the bytes of memory that each has added.
    fn measure(self, zlib: &Zlib, count: usize) -> Result<f64, String> {
        let text = Kind::TpchText.make(2 * LONG)?;
        let mut stream = vec![0; text.len()];
        let mut output = vec![0; LONG];
        let len = Stream::begin(zlib, Way::Deflate { level: LEVEL }, ZLIB).whole(&text, &mut stream);
        let stream = &stream[..len];
        let mut open = Vec::with_capacity(count);
        let begun = resident()?;
        for _ in 0..count {
            let way = match self {
                Self::Compressors | Self::Flushed | Self::Compressing => Way::Deflate { level: LEVEL },
                Self::Decompressors | Self::Short | Self::Decompressing => Way::Inflate,
            };
            open.push(Stream::begin(zlib, way, ZLIB));
            let Some(opened) = open.last_mut() else { break };
            match self {
                Self::Compressors | Self::Decompressors => {}
                Self::Flushed => opened.once(&text[..SHORT], Flush::Sync, &mut output),
                Self::Compressing => opened.once(&text[..LONG], Flush::No, &mut output),
                Self::Short => opened.once(stream, Flush::No, &mut output[..SHORT]),
                Self::Decompressing => opened.once(stream, Flush::No, &mut output),
            }
        }
        Ok(resident()?.saturating_sub(begun) as f64 / count as f64)
    }
}

/// Returns the bytes of this process that are in memory.
fn resident() -> Result<usize, String> {
    let status = fs::read_to_string("/proc/self/status").map_err(|error| format!("/proc: {error}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok());
    Ok(kilobytes.ok_or("/proc/self/status says nothing of VmRSS")? * 1024)
}
