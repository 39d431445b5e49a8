use crate::{Error, Format, Progress, brotli, deflate, lz4, snappy, zstd};

/// Decompresses blocks, keeping its state between them. One for a thread.
///
/// State is made when a format is first used: tables for DEFLATE's formats, with a window for raw
/// streams, about ten times as much as the tables if streams are [decoded
/// speculatively](crate::SpeculativeInflater), and a context for Zstandard, together less than 384
/// KB. Brotli keeps none, and uses its window of up to 16 MiB and its code
/// tables during a call.
#[derive(Default)]
pub struct Decoder {
    deflate: deflate::Decoder,
    zstd: zstd::Decoder,
}

impl Decoder {
    /// A decoder for every format.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a decoder that decodes DEFLATE's formats from start to end on every processor, with
    /// libdeflate if they have a checksum: the reference for the others.
    pub fn serial() -> Self {
        Self { deflate: deflate::Decoder::serial(), zstd: zstd::Decoder::default() }
    }

    /// Decompresses the block at the start of `input` into `output`.
    ///
    /// `output` may be longer than the plain data; `produced` says how much of it was written. If
    /// it is shorter, the result is [`Error::OutputTooSmall`]. For a block that is damaged as well,
    /// either error may come first: a decoder stops where it notices. In zlib and gzip it may even
    /// be `OutputTooSmall` for a block that lacks only its last few bytes, since libdeflate reads
    /// zeros after the end until it notices.
    ///
    /// Extent of a block in each format, and the treatment of bytes after it:
    /// - deflate, zlib, brotli: one stream. Bytes after it are not consumed.
    /// - gzip: all members that follow each other. Bytes after the last member that are not the
    ///   start of another (its magic number, `1f 8b`) are not consumed.
    /// - zstd: all frames that follow each other, skippable ones too. Bytes after the last frame
    ///   that do not start with a frame's magic number are not consumed.
    /// - lz4, lz4-hadoop, snappy: the formats have no end mark, so all of the input is the block.
    ///
    /// An empty input is truncated in every format but lz4-hadoop, where it is zero blocks.
    pub fn decompress(&mut self, format: Format, input: &[u8], output: &mut [u8]) -> Result<Progress, Error> {
        match format {
            Format::Deflate => {
                let expected = Progress { consumed: input.len(), produced: output.len() };
                self.deflate.raw(format, expected, input, output)
            }
            Format::Zlib => deflate::zlib::decompress(&mut self.deflate, input, output),
            Format::Gzip => deflate::gzip::decompress(&mut self.deflate, input, output),
            Format::Lz4 => lz4::decompress(input, output),
            Format::Lz4Hadoop => lz4::hadoop::decompress(input, output),
            Format::Snappy => snappy::decompress(input, output),
            Format::Zstd => self.zstd.decompress(input, output),
            Format::Brotli => brotli::decompress(input, output),
        }
    }
}
