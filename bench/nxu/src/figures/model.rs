//! Speed of the model itself on one core of this machine.

use std::time::{Duration, Instant};

use pelton_nxu::compress::compress_with;
use pelton_nxu::decompress::Limits;
use pelton_nxu::{BitReader, Config, Matcher, Mode, Position, decompress};
use pelton_report::numbers::median;
use pelton_report::table::TextTable;

use crate::check::Part;
use crate::data::{File, Group};

/// Bytes of each file that are measured.
const BYTES: usize = 1 << 20;
const ROUNDS: usize = 5;

/// Returns the part.
pub fn part(files: &[File]) -> Part {
    let mut table =
        TextTable::of_numbers(["set", "compress, MB/s", "slowest file", "decompress, MB/s", "slowest file"]);
    for group in Group::ALL {
        let speeds: Vec<Speeds> =
            files.iter().filter(|file| file.group == group).map(Speeds::measure).collect();
        if speeds.is_empty() {
            continue;
        }
        let bytes: usize = speeds.iter().map(|speeds| speeds.bytes).sum();
        let [compress, decompress] = [0, 1].map(|operation| {
            let all: Duration = speeds.iter().map(|speeds| speeds.times[operation]).sum();
            let by_speed =
                |a: &&Speeds, b: &&Speeds| a.megabytes(operation).total_cmp(&b.megabytes(operation));
            let slowest = speeds.iter().min_by(by_speed);
            let slowest = slowest.map_or((0.0, ""), |speeds| (speeds.megabytes(operation), &speeds.name));
            (bytes as f64 / all.as_secs_f64() / 1e6, slowest)
        });
        table.row([
            group.name().to_owned(),
            format!("{:.1}", compress.0),
            format!("{:.1} ({})", compress.1.0, compress.1.1),
            format!("{:.0}", decompress.0),
            format!("{:.0} ({})", decompress.1.0, decompress.1.1),
        ]);
    }
    let text = format!(
        "Uncompressed bytes a second of one core, measured here: z15 in one pass and its table, and decompression; at most a \
         megabyte of each file, medians of {ROUNDS}.\n\n{}",
        table.markdown()
    );
    Part { title: "Speed of the model", text, ..Part::default() }
}

/// Times of a file.
struct Speeds {
    name: String,
    bytes: usize,
    /// Compression and decompression.
    times: [Duration; 2],
}

impl Speeds {
    fn measure(file: &File) -> Speeds {
        let blocks: Vec<&[u8]> = file.start(BYTES).collect();
        // One stage for all, as the devices' models keep theirs.
        let mut matcher = Matcher::new(Config::Z15, 0);
        let mut compress = |block: &[u8]| compress_with(&mut matcher, Config::Z15, Mode::TwoPass, block);
        let streams: Vec<Vec<u8>> = blocks.iter().map(|block| compress(block).bytes).collect();
        let times = [
            time(|| blocks.iter().map(|block| compress(block).cycles).sum()),
            time(|| {
                let one = |(stream, block): (&Vec<u8>, &&[u8])| {
                    let limits = Limits { output: block.len(), one_block: false };
                    decompress(&Position::START, BitReader::new(stream, 0), &[], limits).cycles
                };
                streams.iter().zip(&blocks).map(one).sum()
            }),
        ];
        Speeds { name: file.name.clone(), bytes: blocks.iter().map(|block| block.len()).sum(), times }
    }

    fn megabytes(&self, operation: usize) -> f64 {
        self.bytes as f64 / self.times[operation].as_secs_f64().max(f64::MIN_POSITIVE) / 1e6
    }
}

/// Returns the median time of a run, whose result keeps the compiler from leaving it out.
fn time(mut run: impl FnMut() -> u64) -> Duration {
    let one = |_| {
        let start = Instant::now();
        std::hint::black_box(run());
        start.elapsed().as_secs_f64()
    };
    Duration::from_secs_f64(median(&(0..ROUNDS).map(one).collect::<Vec<f64>>()))
}
