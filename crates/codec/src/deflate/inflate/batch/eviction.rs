//! Whether a stream keeps a lane busy.

use super::tokens::Sequences;

/// Chunks that may stop early before it counts.
const FREE: u32 = 16;

/// Of a stream's chunks one in so many may stop early: an estimate, not measured. A stop costs a whole chunk and perhaps a
/// header's tables, up to 10,000 cycles; a full chunk gains less than that. zlib's blocks, of up to 16,383 symbols, are
/// 57 chunks of 288 look-ups long, so that no usual stream comes near it.
const ONE_IN: u32 = 4;

/// Bytes of a chunk from which on its near matches are runs and sorted keys: libdeflate takes few symbols for them, which it
/// predicts, and a lane waits for each to be written. Measured on pages of Parquet, times libdeflate's speed: chunks of 450 to
/// 620 bytes 1.0 to 1.4, of 1,200 to 2,500 bytes 0.7 to 0.85.
const RUNS: usize = 1 << 10;

impl Sequences {
    /// Whether most matches of a chunk of `len` bytes wait for the ones before to be written.
    pub(crate) fn wait(&self, len: usize) -> bool {
        len >= RUNS && self.are_near()
    }
}

/// Counts the chunks of a stream, and those that ended before their time: at the end of a block, or at a symbol that
/// the tables leave out. A stream of nothing else, which somebody would have to make on purpose, took a lane 80 to
/// 280 times as long as it takes libdeflate; noticed here, it is libdeflate's after some twenty chunks.
#[derive(Clone, Copy, Default)]
pub(crate) struct Eviction {
    chunks: u32,
    stops: u32,
}

impl Eviction {
    /// Notes a chunk; `None` if the stream had better leave its lane. `waits` says whether most of its matches wait for the ones
    /// before to be written; it is asked of the first chunk only, as what was decoded until then is lost.
    pub(crate) fn count_chunk(&mut self, stopped: bool, waits: impl FnOnce() -> bool) -> Option<()> {
        let waits = self.chunks == 0 && waits();
        self.chunks = self.chunks.saturating_add(1);
        self.stops += u32::from(stopped);
        (!waits && self.is_kept()).then_some(())
    }

    /// Notes something else that costs about what a chunk does and yields nothing; `None` if the stream had better be left.
    pub(crate) fn count_stop(&mut self) -> Option<()> {
        self.stops = self.stops.saturating_add(1);
        self.is_kept().then_some(())
    }

    fn is_kept(&self) -> bool {
        self.stops <= FREE + self.chunks / ONE_IN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_are_allowed_now_and_then() {
        let mut eviction = Eviction::default();
        assert!((0..100_000).all(|chunk| eviction.count_chunk(chunk % ONE_IN == 0, || false).is_some()));
    }

    #[test]
    fn a_stream_of_stops_is_given_up_soon() {
        let mut eviction = Eviction::default();
        let kept = (0..100).take_while(|_| eviction.count_chunk(true, || false).is_some()).count();
        assert_eq!(kept, 21, "16, and one for every four of those 21");
    }
    #[test]
    fn a_stream_that_waits_leaves_at_once_or_never() {
        assert!(Eviction::default().count_chunk(false, || true).is_none());
        let mut eviction = Eviction::default();
        assert!(eviction.count_chunk(false, || false).is_some());
        assert!(eviction.count_chunk(false, || true).is_some());
    }
}
