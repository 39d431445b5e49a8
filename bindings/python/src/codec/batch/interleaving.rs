//! Which of two ways buffers of a batch are decoded: side by side, or one by one.
//!
//! What does not gain from company for its size or ratio goes one by one. The rest takes 0.6 to 1.2
//! times as long side by side, and nothing tells before how long it will be: kinds of data and
//! processors differ. So it is tried: for each class of buffers both ways are timed, the faster is
//! taken, and the other is tried again now and then. What comes out is the same.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use pelton_codec::{BatchInflater, Format, Stream};

use crate::codec::codecs::Codecs;
use crate::codec::sys::Clock;

/// Buffers that are timed together: two rounds of lanes.
const CHUNK: usize = 2 * BatchInflater::LANES;
/// The first chunks go both ways in turn, twice, since the first times are those of cold caches and
/// fresh memory: a megabyte of it takes as long as its decoding.
const IN_TURN: u32 = 4;
/// One chunk in so many is decoded in the way that seems slower: 3% of chunks, which take 1.7 times
/// as long at worst. At first it is the eighth and the sixteenth.
const TRIED_EVERY: u32 = 32;
/// Classes by log2 of the mean packed size, from under 256 bytes to 512 KB and more.
const SIZES: usize = 12;
const SMALLEST_LOG2: usize = 8;
/// Classes by how many times smaller the packed bytes are: under 2, 3, 4, 6, 8, 12, 16, and more.
const RATIOS: [usize; 7] = [2, 3, 4, 6, 8, 12, 16];
/// What a new time counts against those before: all, if it is shorter; an eighth if it is longer,
/// which something else may be the reason for.
const LONGER_SHIFT: u32 = 3;

/// What is known of a class, shared by all threads: hints, which no two threads need to see alike.
struct Class {
    /// Picoseconds a byte, smoothed, of either way; 0 before the first time.
    times: [AtomicU32; 2],
    seen: AtomicU32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    OneByOne,
    SideBySide,
}

/// Of DEFLATE, and of Snappy: their times have nothing to do with each other.
static CLASSES: [[Class; SIZES * (RATIOS.len() + 1)]; 2] = [const {
    [const { Class { times: [AtomicU32::new(0), AtomicU32::new(0)], seen: AtomicU32::new(0) } };
        SIZES * (RATIOS.len() + 1)]
}; 2];

/// Returns the class of buffers of such lengths: a place among them all. `plain` is 0 where nobody
/// knows.
pub fn class(packed: usize, plain: usize) -> usize {
    let packed_log2 = packed.checked_ilog2().unwrap_or(0) as usize;
    let size = packed_log2.saturating_sub(SMALLEST_LOG2 - 1).min(SIZES - 1);
    let ratio = RATIOS.iter().filter(|&&bound| plain / packed.max(1) >= bound).count();
    size * (RATIOS.len() + 1) + ratio
}

impl Class {
    fn choose(&self) -> Way {
        let seen = self.seen.fetch_add(1, Relaxed);
        if seen < IN_TURN {
            return if seen.is_multiple_of(2) { Way::SideBySide } else { Way::OneByOne };
        }
        let [alone, beside] = [self.times[0].load(Relaxed), self.times[1].load(Relaxed)];
        let (better, other) = match (alone, beside) {
            (_, 0) => return Way::SideBySide,
            (0, _) => return Way::OneByOne,
            _ if beside <= alone => (Way::SideBySide, Way::OneByOne),
            _ => (Way::OneByOne, Way::SideBySide),
        };
        let is_trial = if seen < TRIED_EVERY {
            seen > IN_TURN && seen.is_power_of_two()
        } else {
            seen.is_multiple_of(TRIED_EVERY)
        };
        if is_trial { other } else { better }
    }

    fn observe(&self, way: Way, time: u32) {
        let smoothed = &self.times[way as usize];
        let before = smoothed.load(Relaxed);
        let now = match before {
            0 => time,
            before if time < before => time,
            before => before.saturating_add((time - before).min(before) >> LONGER_SHIFT),
        };
        smoothed.store(now.max(1), Relaxed);
    }
}

/// Decodes all streams, which are of one format, and sets their results. It is best if those of a
/// class are neighbours.
pub fn decompress(codecs: &mut Codecs, streams: &mut [Stream<'_>]) {
    for chunk in streams.chunks_mut(CHUNK) {
        let gains = |stream: &&Stream<'_>| {
            BatchInflater::gains(stream.format, stream.input.len(), stream.output.len())
        };
        if chunk.iter().filter(gains).count() < BatchInflater::MIN_STREAMS || codecs.inflater().is_none() {
            one_by_one(codecs, chunk);
            continue;
        }
        let packed = chunk.iter().map(|stream| stream.input.len()).sum::<usize>();
        let plain = chunk.iter().map(|stream| stream.output.len()).fold(0, usize::saturating_add);
        let kind = usize::from(chunk[0].format == Format::Snappy);
        let class = &CLASSES[kind][class(packed / chunk.len(), plain / chunk.len())];
        let way = class.choose();
        let start = Clock::start();
        match (way, codecs.inflater()) {
            (Way::SideBySide, Some(inflater)) => inflater.inflate_batch(chunk),
            _ => one_by_one(codecs, chunk),
        }
        let picoseconds = start.elapsed().as_nanos().saturating_mul(1000) / plain.max(1) as u128;
        class.observe(way, u32::try_from(picoseconds).unwrap_or(u32::MAX));
    }
}

fn one_by_one(codecs: &mut Codecs, streams: &mut [Stream<'_>]) {
    for stream in streams {
        stream.result = codecs.decompress(stream.format, stream.input, stream.output);
    }
}
