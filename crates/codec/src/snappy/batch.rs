//! Interleaved decoding of several blocks.

use super::arch::{LANES, Lane, decompress_lanes};
use super::{FORMAT, element, header, rest};
use crate::deflate::Stream;
use crate::{Format, Progress};

/// Blocks of fewer bytes gain nothing that could be measured.
const PACKED: usize = 1 << 10;
/// Blocks that shrink by less than one byte in this many are long literals, which are copied at the
/// speed of memory.
const SHRUNK: usize = 16;
/// Blocks that shrink to one byte in this many are long copies, for which a single lane is as fast.
const RATIO: usize = 4;

/// Returns whether a block of `packed` bytes with room for `room` plain ones is decoded faster
/// interleaved with similar ones than alone.
pub(crate) fn gains(format: Format, packed: usize, room: usize) -> bool {
    format == FORMAT && packed >= PACKED && packed < room - room / SHRUNK && room / RATIO < packed
}

/// A block in its lane.
struct Block<'a, 's> {
    stream: &'s mut Stream<'a>,
    from: usize,
    size: usize,
}

/// Decodes the streams that gain by interleaving, if they fill the lanes, and marks the finished
/// ones. The others are unchanged, except for their output.
pub(crate) fn decompress(streams: &mut [Stream<'_>]) {
    let mut waiting = streams.iter_mut().filter_map(|stream| {
        let does_gain = gains(stream.format, stream.input.len(), stream.output.len());
        let (size, from) = header(stream.input).filter(|_| does_gain)?;
        (size <= stream.output.len()).then_some(Block { stream, from, size })
    });
    let mut next = || waiting.next();
    let (Some(first), Some(second), Some(third)) = (next(), next(), next()) else { return };
    let mut blocks = [first, second, third];
    let mut places = [(0, 0); LANES];
    loop {
        let mut lanes = lanes(&mut blocks, places);
        let mut stopped = decompress_lanes(&mut lanes);
        // An element that lanes can't take is decoded with care, and so are all close to an end.
        let is_sound = loop {
            let lane = &mut lanes[stopped];
            if lane.at == lane.input.len() {
                break lane.done == lane.output.len();
            }
            let Some((read, done)) = element::decompress(&lane.input[lane.at..], lane.output, lane.done)
            else {
                break false;
            };
            (lane.at, lane.done) = (lane.at + read, done);
            stopped = decompress_lanes(&mut lanes);
        };
        places = lanes.map(|lane| (lane.at, lane.done));
        let block = &mut blocks[stopped];
        if is_sound {
            block.done();
        }
        let Some(other) = next() else {
            let left = blocks.iter_mut().zip(places).enumerate().filter(|(index, _)| *index != stopped);
            left.for_each(|(_, (block, place))| block.finish(place));
            return;
        };
        (*block, places[stopped]) = (other, (0, 0));
    }
}

impl Block<'_, '_> {
    /// Decodes the rest of the block alone.
    fn finish(&mut self, (at, done): (usize, usize)) {
        let Stream { input, output, .. } = &mut *self.stream;
        if rest(&input[self.from..], &mut output[..self.size], at, done).is_some() {
            self.done();
        }
    }

    fn done(&mut self) {
        self.stream.done(Progress { consumed: self.stream.input.len(), produced: self.size });
    }
}

/// Lanes that go on where they stopped.
fn lanes<'b>(blocks: &'b mut [Block<'_, '_>; LANES], places: [(usize, usize); LANES]) -> [Lane<'b>; LANES] {
    let mut places = places.into_iter();
    blocks.each_mut().map(|block| {
        let (at, done) = places.next().unwrap_or_default();
        let Block { stream, from, size } = block;
        Lane { input: &stream.input[*from..], output: &mut stream.output[..*size], at, done }
    })
}
