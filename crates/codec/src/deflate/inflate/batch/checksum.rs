//! A stream's checksum, taken as its data is written.

use crate::{Checksum, Format, checksum, checksum_append};

/// Bytes that a lane writes before they are summed. With the window that its matches read, all lanes' are 5 * (32 + 32) KB then,
/// which a second-level cache holds; streams of 1 MB that are summed at their ends have left it. Fewer at a time cost more calls
/// and gain nothing: a checksum reads from the second level as fast as from the first.
const PIECE: usize = 32 << 10;

/// The checksum of what a lane has written.
pub(crate) struct RunningChecksum {
    kind: Option<Checksum>,
    value: u64,
    /// What is before this has been summed.
    upto: usize,
}

impl RunningChecksum {
    /// The sum of nothing, for a stream that is written from `start`.
    pub(crate) fn new(format: Format, start: usize) -> Self {
        let kind = match format {
            Format::Zlib => Some(Checksum::Adler32),
            Format::Gzip => Some(Checksum::Crc32),
            _ => None,
        };
        Self { kind, value: kind.map_or(0, |kind| checksum(kind, &[])), upto: start }
    }

    /// Takes note that the stream is written up to `end`, where nothing is changed any more.
    pub(crate) fn written(&mut self, output: &[u8], end: usize) {
        if end - self.upto >= PIECE {
            self.add(output, end);
        }
    }

    /// The sum up to `end`; 0 for a stream without one.
    pub(crate) fn finish(&mut self, output: &[u8], end: usize) -> u32 {
        self.add(output, end);
        self.value as u32
    }

    fn add(&mut self, output: &[u8], end: usize) {
        let appended = self.kind.and_then(|kind| checksum_append(kind, self.value, &output[self.upto..end]));
        self.value = appended.unwrap_or(self.value);
        self.upto = end;
    }
}
