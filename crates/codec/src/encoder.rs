use crate::{Error, Format, Level, Progress, Window, brotli, deflate, lz4, snappy, zstd};

/// Compresses blocks, keeping its state between them. One for a thread.
///
/// State is made when a format is first used. Its size depends on the level: up to 2 MB for
/// DEFLATE's formats, more from level 10 on; tens of kilobytes for LZ4 and Snappy; megabytes for
/// Zstandard, by level and size of the block. Brotli keeps none.
#[derive(Default)]
pub struct Encoder {
    deflate: deflate::Encoder,
    lz4: lz4::Encoder,
    snappy: snappy::Encoder,
    zstd: zstd::Encoder,
}

impl Encoder {
    /// An encoder for every format.
    pub fn new() -> Self {
        Self::default()
    }

    /// Compresses all of `input` into `output` as one block: one stream, one member, one frame.
    ///
    /// An output of [`compress_bound`] bytes always suffices. Into a shorter one, lz4 and snappy
    /// refuse to compress at all; the others succeed if the result fits.
    pub fn compress(
        &mut self,
        format: Format,
        level: Level,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<Progress, Error> {
        if level.format() != format {
            return Err(Error::BadLevel { format, level: level.value() });
        }
        let produced = match format {
            Format::Deflate | Format::Zlib | Format::Gzip => self.deflate.compress(level, input, output),
            Format::Lz4 => self.lz4.compress(input, output),
            Format::Lz4Hadoop => lz4::hadoop::compress(&mut self.lz4, input, output),
            Format::Snappy => self.snappy.compress(input, output),
            Format::Zstd => self.zstd.compress(level, input, output),
            Format::Brotli => brotli::compress(level, input, output),
        }?;
        Ok(Progress { consumed: input.len(), produced })
    }

    /// Compresses as [`Self::compress`] does; in DEFLATE's formats with matches of at most `window`
    /// bytes back, for decoders with no more memory than that, such as Intel's IAA with 4 KB. The
    /// window has no effect on other formats.
    ///
    /// With a window below the format's maximum, levels above 9 are level 9.
    pub fn compress_within(
        &mut self,
        format: Format,
        level: Level,
        window: Window,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<Progress, Error> {
        match format {
            Format::Deflate | Format::Zlib | Format::Gzip if level.format() == format => {
                let produced = self.deflate.compress_within(level, window, input, output)?;
                Ok(Progress { consumed: input.len(), produced })
            }
            _ => self.compress(format, level, input, output),
        }
    }
}

/// Returns the length of an output that holds `len` bytes compressed at any level; `usize::MAX` if
/// the format's blocks are shorter.
pub fn compress_bound(format: Format, len: usize) -> usize {
    // No slice is longer than isize::MAX; below it, no library's bound overflows.
    if len > isize::MAX as usize / 2 {
        return usize::MAX;
    }
    match format {
        Format::Deflate | Format::Zlib | Format::Gzip => deflate::compress_bound(format, len),
        Format::Lz4 => lz4::compress_bound(len),
        Format::Lz4Hadoop => lz4::hadoop::compress_bound(len),
        Format::Snappy => snappy::compress_bound(len),
        Format::Zstd => zstd::compress_bound(len),
        Format::Brotli => brotli::compress_bound(len),
    }
}
