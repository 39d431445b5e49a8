//! Choice between interleaved and one-by-one decoding of the buffers of a batch.
//!
//! Streams that gain nothing from interleaving, by size or ratio, are decoded one by one. For the
//! others the faster way depends on the data and the processor, so that both ways are timed for
//! each class of buffers: the faster one is used, and the other tried again from time to time. The
//! output is the same.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use pelton_codec::{BatchInflater, Format, Stream};

use crate::codec::codecs::Codecs;
use crate::codec::sys::Clock;

/// Buffers that are timed together: two rounds of lanes.
const CHUNK: usize = 2 * BatchInflater::LANES;
/// The first chunks use the two ways in turn, twice, since the first times include cold caches and
/// page faults.
const IN_TURN: u32 = 4;
/// Interval of chunks that try the slower way, so that few chunks are slower. The first trials are
/// the eighth and the sixteenth chunk.
const TRIED_EVERY: u32 = 32;
/// Number of classes by log2 of the mean compressed size, from the smallest up.
const SIZES: usize = 12;
const SMALLEST_LOG2: usize = 8;
/// Lower bounds of the classes by compression ratio; smaller ratios are a class too.
const RATIOS: [usize; 7] = [2, 3, 4, 6, 8, 12, 16];
/// Weight of a new time against earlier ones: a shorter time replaces them; a longer one counts an
/// eighth, as other programs may be the cause.
const LONGER_SHIFT: u32 = 3;

/// Observations of a class, shared by all threads: hints, which threads need not see alike.
struct Class {
    /// Picoseconds a byte, smoothed, for each way; 0 before the first time.
    times: [AtomicU32; 2],
    seen: AtomicU32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    OneByOne,
    Interleaved,
}

/// For DEFLATE, and for Snappy, which have unrelated times.
static CLASSES: [[Class; SIZES * (RATIOS.len() + 1)]; 2] = [const {
    [const { Class { times: [AtomicU32::new(0), AtomicU32::new(0)], seen: AtomicU32::new(0) } };
        SIZES * (RATIOS.len() + 1)]
}; 2];

/// Returns the index of the class of buffers of these lengths. `uncompressed` is 0 if unknown.
pub fn class(compressed: usize, uncompressed: usize) -> usize {
    let compressed_log2 = compressed.checked_ilog2().unwrap_or(0) as usize;
    let size = compressed_log2.saturating_sub(SMALLEST_LOG2 - 1).min(SIZES - 1);
    let ratio = RATIOS.iter().filter(|&&bound| uncompressed / compressed.max(1) >= bound).count();
    size * (RATIOS.len() + 1) + ratio
}

impl Class {
    fn choose(&self) -> Way {
        let seen = self.seen.fetch_add(1, Relaxed);
        if seen < IN_TURN {
            return if seen.is_multiple_of(2) { Way::Interleaved } else { Way::OneByOne };
        }
        let [alone, interleaved] = [self.times[0].load(Relaxed), self.times[1].load(Relaxed)];
        let (better, other) = match (alone, interleaved) {
            (_, 0) => return Way::Interleaved,
            (0, _) => return Way::OneByOne,
            _ if interleaved <= alone => (Way::Interleaved, Way::OneByOne),
            _ => (Way::OneByOne, Way::Interleaved),
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

/// Decodes all streams, which have one format, and sets their results. Streams of a class should be
/// neighbours.
pub fn decompress(codecs: &mut Codecs, streams: &mut [Stream<'_>]) {
    for chunk in streams.chunks_mut(CHUNK) {
        let gains = |stream: &&Stream<'_>| {
            BatchInflater::gains(stream.format, stream.input.len(), stream.output.len())
        };
        if chunk.iter().filter(gains).count() < BatchInflater::MIN_STREAMS || codecs.inflater().is_none() {
            one_by_one(codecs, chunk);
            continue;
        }
        let compressed = chunk.iter().map(|stream| stream.input.len()).sum::<usize>();
        let uncompressed = chunk.iter().map(|stream| stream.output.len()).fold(0, usize::saturating_add);
        let kind = usize::from(chunk[0].format == Format::Snappy);
        let class = &CLASSES[kind][class(compressed / chunk.len(), uncompressed / chunk.len())];
        let way = class.choose();
        let start = Clock::start();
        match (way, codecs.inflater()) {
            (Way::Interleaved, Some(inflater)) => inflater.inflate_batch(chunk),
            _ => one_by_one(codecs, chunk),
        }
        let picoseconds = start.elapsed().as_nanos().saturating_mul(1000) / uncompressed.max(1) as u128;
        class.observe(way, u32::try_from(picoseconds).unwrap_or(u32::MAX));
    }
}

fn one_by_one(codecs: &mut Codecs, streams: &mut [Stream<'_>]) {
    for stream in streams {
        stream.result = codecs.decompress(stream.format, stream.input, stream.output);
    }
}
