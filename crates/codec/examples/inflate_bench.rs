//! Batch inflate against libdeflate called stream by stream: speed by data, block size and writer.
//!
//! `taskset -c 1 cargo run --release -p pelton-codec --example inflate_bench [filter..]`, where a filter is a part of a
//! cell's name, such as `64K` or `lineitem`; all of the filters have to match. Every repetition decodes the same streams
//! once with each contender, alternating in one thread and counting that thread's CPU time; the figures are medians.
//! TPC-H columns come from the gzip Parquet files of `PELTON_TPCH` (or the cache of `pelton bench`), if there are any.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use pelton_codec::{BatchInflater, Decoder, Encoder, Format, Implementation, Level, Stream, compress_bound};

#[path = "../tests/reference/zlib.rs"]
mod zlib;

/// Plain bytes of a cell.
const CELL: usize = 12 << 20;
/// Repetitions, of which the median counts.
const REPEATS: usize = 5;

fn main() {
    let filters: Vec<String> = env::args().skip(1).collect();
    println!("{:<28} {:>6} {:>8} {:>7} {:>8}", "cell", "ratio", "MB/s", "theirs", "speedup");
    let mut by_size: Vec<(usize, Vec<f64>)> = Vec::new();
    for (name, plain) in sources() {
        for size in [4 << 10, 16 << 10, 64 << 10, 1 << 20] {
            for writer in ["libdeflate1", "libdeflate6", "zlib6"] {
                let cell = format!("{name} {} {writer}", human(size));
                if filters.iter().all(|filter| cell.contains(filter.as_str())) {
                    let speedup = measure(&cell, &plain, size, writer);
                    match by_size.iter_mut().find(|(known, _)| *known == size) {
                        Some((_, speedups)) => speedups.push(speedup),
                        None => by_size.push((size, vec![speedup])),
                    }
                }
            }
        }
    }
    for (size, speedups) in by_size {
        let mean = (speedups.iter().map(|s| s.ln()).sum::<f64>() / speedups.len() as f64).exp();
        let least = speedups.iter().copied().fold(f64::INFINITY, f64::min);
        println!("{}: geometric mean {mean:.2}, least {least:.2}", human(size));
    }
}

/// Prints one cell and returns how many times libdeflate's speed the batch has.
fn measure(cell: &str, plain: &[u8], size: usize, writer: &str) -> f64 {
    // PELTON_STREAMS limits the number of streams in a batch, to find where a batch pays.
    let most = env::var("PELTON_STREAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(usize::MAX);
    let blocks: Vec<&[u8]> = plain.chunks(size).collect();
    let packed: Vec<Vec<u8>> = blocks.iter().map(|block| write(writer, block)).collect();
    let mut outputs: Vec<Vec<u8>> = blocks.iter().map(|block| vec![0; block.len()]).collect();
    let mut decoder = Decoder::new();
    let mut batch = match env::var("PELTON_INFLATE") {
        Ok(name) => BatchInflater::with(name.parse::<Implementation>().unwrap()).unwrap(),
        Err(_) => BatchInflater::new(),
    };
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..REPEATS {
        let start = thread_nanos();
        for (input, output) in packed.iter().zip(&mut outputs) {
            decoder.decompress(Format::Deflate, input, output).unwrap();
        }
        let middle = thread_nanos();
        let mut streams: Vec<Stream<'_>> = packed
            .iter()
            .zip(&mut outputs)
            .map(|(input, output)| Stream::new(Format::Deflate, input, output))
            .collect();
        for part in streams.chunks_mut(most) {
            batch.inflate_batch(part);
        }
        let end = thread_nanos();
        assert!(streams.iter().all(|stream| stream.result.is_ok()), "{cell}");
        drop(streams);
        assert!(blocks.iter().zip(&outputs).all(|(block, output)| block == output), "{cell}");
        times[0].push(middle - start);
        times[1].push(end - middle);
    }
    let [reference, ours] = times.map(|mut times| {
        times.sort_unstable();
        times[REPEATS / 2] as f64
    });
    let bytes: usize = blocks.iter().map(|block| block.len()).sum();
    let packed: usize = packed.iter().map(Vec::len).sum();
    println!(
        "{cell:<28} {:>6.2} {:>8.0} {:>7.0} {:>8.2}",
        bytes as f64 / packed as f64,
        bytes as f64 * 1e3 / ours,
        bytes as f64 * 1e3 / reference,
        reference / ours
    );
    reference / ours
}

fn write(writer: &str, block: &[u8]) -> Vec<u8> {
    let level = match writer {
        "zlib6" => return zlib::deflate(zlib::Container::Raw, 6, 0, block),
        "libdeflate1" => 1,
        _ => 6,
    };
    let level = Level::new(Format::Deflate, level).unwrap();
    let mut packed = vec![0; compress_bound(Format::Deflate, block.len())];
    let done = Encoder::new().compress(Format::Deflate, level, block, &mut packed).unwrap();
    packed.truncate(done.produced);
    packed
}

fn human(size: usize) -> String {
    if size >= 1 << 20 { format!("{}M", size >> 20) } else { format!("{}K", size >> 10) }
}

/// Every kind of data, with a name.
fn sources() -> Vec<(&'static str, Vec<u8>)> {
    let home = env::var_os("HOME").map_or_else(PathBuf::new, PathBuf::from);
    let tpch =
        env::var_os("PELTON_TPCH").map_or_else(|| home.join(".cache/pelton/tpch-sf1-gzip"), PathBuf::from);
    let mut random = Random(1);
    let mut sources = vec![
        ("lineitem", pages(&tpch.join("lineitem.parquet"))),
        ("orders", pages(&tpch.join("orders.parquet"))),
        ("source", source(&home.join(".cargo/registry/src"))),
        ("json", json(&mut random)),
        ("table", table(&mut random)),
        ("floats", floats(&mut random)),
        ("random", (0..CELL).map(|_| random.next() as u8).collect()),
    ];
    sources.retain(|(_, plain)| !plain.is_empty());
    sources
}

/// Pages that are taken from a file.
const PAGES: usize = 48;

/// The plain bytes of a file's gzip members, wherever they are: the pages of a Parquet file, as its encodings left them.
fn pages(path: &Path) -> Vec<u8> {
    let file = fs::read(path).unwrap_or_default();
    let (mut plain, mut at) = (Vec::new(), 0);
    let mut page = vec![0; 4 << 20];
    let mut decoder = Decoder::new();
    while plain.len() < CELL && at + 3 < file.len() {
        let found = file[at..].starts_with(&[0x1f, 0x8b, 8]);
        match found.then(|| decoder.decompress(Format::Gzip, &file[at..], &mut page)) {
            Some(Ok(done)) => {
                // Pages from all over the file, so that every column has its share.
                let most = CELL / PAGES;
                plain.extend_from_slice(&page[..done.produced.min(most)]);
                at += file.len() / PAGES;
            }
            _ => at += 1,
        }
    }
    plain.truncate(CELL);
    plain
}

/// Rust files below a folder.
fn source(folder: &Path) -> Vec<u8> {
    let (mut plain, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if plain.len() >= CELL {
                plain.truncate(CELL);
                return plain;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                plain.extend_from_slice(&fs::read(path).unwrap_or_default());
            }
        }
    }
    plain
}

const WORDS: [&str; 16] = [
    "furiously",
    "regular",
    "deposits",
    "sleep",
    "carefully",
    "final",
    "accounts",
    "above",
    "the",
    "quickly",
    "express",
    "packages",
    "haggle",
    "blithely",
    "ironic",
    "requests",
];

fn words(random: &mut Random, count: usize) -> String {
    (0..count).map(|_| WORDS[random.next() as usize % WORDS.len()]).collect::<Vec<_>>().join(" ")
}

/// Log lines as a web service writes them.
fn json(random: &mut Random) -> Vec<u8> {
    let mut plain = String::new();
    let mut time = 1_700_000_000_000_u64;
    while plain.len() < CELL {
        time += random.next() % 200;
        plain += &format!(
            "{{\"time\":{time},\"level\":\"{}\",\"service\":\"api-{}\",\"request\":\"{:016x}\",\"path\":\"/v1/{}/{}\",\"status\":{},\"micros\":{},\"message\":\"{}\"}}\n",
            ["info", "info", "info", "warn"][random.next() as usize % 4],
            random.next() % 12,
            random.next(),
            WORDS[random.next() as usize % WORDS.len()],
            random.next() % 100_000,
            [200, 200, 200, 404, 500][random.next() as usize % 5],
            random.next() % 1_000_000,
            words(random, 6),
        );
    }
    plain.into_bytes()
}

/// Rows with separators, as TPC-H's generator writes lineitem.
fn table(random: &mut Random) -> Vec<u8> {
    let mut plain = String::new();
    let mut order = 1;
    while plain.len() < CELL {
        order += random.next() % 3;
        plain += &format!(
            "{order}|{}|{}|{}|{}|{}.{:02}|0.0{}|0.0{}|N|O|199{}-{:02}-{:02}|DELIVER IN PERSON|TRUCK|{}|\n",
            random.next() % 200_000,
            random.next() % 10_000,
            random.next() % 7,
            random.next() % 50,
            random.next() % 100_000,
            random.next() % 100,
            random.next() % 10,
            random.next() % 9,
            random.next() % 8,
            random.next() % 12 + 1,
            random.next() % 28 + 1,
            words(random, 4),
        );
    }
    plain.into_bytes()
}

/// A random walk of doubles with two decimals.
fn floats(random: &mut Random) -> Vec<u8> {
    let mut cents = 1_000_000_i64;
    let step = |random: &mut Random| (random.next() % 2001) as i64 - 1000;
    (0..CELL / 8)
        .flat_map(|_| {
            cents += step(random);
            (cents as f64 / 100.0).to_le_bytes()
        })
        .collect()
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// CPU time that this thread has used.
fn thread_nanos() -> u64 {
    #[repr(C)]
    struct Timespec {
        seconds: i64,
        nanos: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
    }
    /// CLOCK_THREAD_CPUTIME_ID of Linux.
    const THREAD: i32 = 3;
    let mut time = Timespec { seconds: 0, nanos: 0 };
    // SAFETY: the time is a timespec of a 64-bit Linux, which the call fills in.
    assert_eq!(unsafe { clock_gettime(THREAD, &mut time) }, 0);
    time.seconds as u64 * 1_000_000_000 + time.nanos as u64
}
