//! Decompressed sizes that compressed data states. They are claims, which limit the first
//! allocation and are checked by decompressing.

use pelton_codec::Format;

/// Largest output by default; see the module `modules`.
pub const MAX_LENGTH: usize = 1 << 30;

/// Most bytes that a byte of DEFLATE decompresses to: a match of 258 bytes takes at least two bits.
pub const DEFLATE_MAX_RATIO: usize = 1032;
/// Ratio up to which larger claims are believed: memory is allocated as it turns out to be needed.
/// Text and columns usually compress less.
const BELIEVED: usize = 64;
/// Size that is believed of any data.
const BELIEVED_ANYWAY: usize = 1 << 20;

/// Guessed ratio if nothing is known, typical of text and columns.
pub const GUESS: f64 = 5.0;
/// Factor of a guess over an observed ratio.
pub const MARGIN: f64 = 1.25;
/// Smallest guess.
const MIN_CAPACITY: usize = 4 << 10;
/// Growth factor of a guess that was too small.
pub const GROWTH: usize = 4;

/// Returns the size that the data states; `None` if it states none, or an impossible one.
pub fn claimed(format: Format, data: &[u8]) -> Option<usize> {
    let claim = match format {
        // ISIZE of the last member, which is usually the only one (RFC 1952, 2.3.1).
        Format::Gzip => u32::from_le_bytes(*data.last_chunk()?) as usize,
        Format::Snappy => varint(data)?,
        Format::Zstd => zstd(data)?,
        Format::Lz4Hadoop => lz4_hadoop(data)?,
        Format::Deflate | Format::Zlib | Format::Lz4 | Format::Brotli => return None,
    };
    let most = match format {
        Format::Gzip => data.len().saturating_mul(DEFLATE_MAX_RATIO),
        _ => data.len().saturating_mul(BELIEVED).max(BELIEVED_ANYWAY),
    };
    (claim <= most).then_some(claim)
}

/// Returns the first size to try for data that states none: `ratio` times its length.
pub fn guess(data: &[u8], ratio: f64, max_length: usize) -> usize {
    ((data.len() as f64 * ratio) as usize).max(MIN_CAPACITY).min(max_length)
}

/// Returns the size to try after `capacity` was too small.
pub fn more(capacity: usize, max_length: usize) -> usize {
    capacity.saturating_mul(GROWTH).max(MIN_CAPACITY).min(max_length)
}

/// Returns the number that a Snappy block starts with (format_description.txt): seven bits a byte,
/// the least significant first.
fn varint(data: &[u8]) -> Option<usize> {
    let mut value = 0;
    for (place, &byte) in data.iter().take(5).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Reads Frame_Content_Size of the first frame (RFC 8878, section 3.1).
fn zstd(data: &[u8]) -> Option<usize> {
    let descriptor = *data.get(4)?;
    let (single_segment, dictionary) = (descriptor >> 5 & 1, descriptor & 3);
    let window = usize::from(1 - single_segment);
    let start = 5 + window + [0, 1, 2, 4][usize::from(dictionary)];
    let field = data.get(start..)?;
    match (descriptor >> 6, single_segment) {
        (0, 1) => field.first().map(|&size| usize::from(size)),
        (1, _) => field.first_chunk().map(|size| usize::from(u16::from_le_bytes(*size)) + 256),
        (2, _) => field.first_chunk().map(|size| u32::from_le_bytes(*size) as usize),
        (3, _) => field.first_chunk().and_then(|size| usize::try_from(u64::from_le_bytes(*size)).ok()),
        _ => None,
    }
}

/// Returns the sum of the blocks' uncompressed sizes.
fn lz4_hadoop(mut data: &[u8]) -> Option<usize> {
    let mut sum = 0_usize;
    while !data.is_empty() {
        let (uncompressed, rest) = data.split_first_chunk()?;
        let (compressed, rest) = rest.split_first_chunk()?;
        sum = sum.checked_add(u32::from_be_bytes(*uncompressed) as usize)?;
        data = rest.get(u32::from_be_bytes(*compressed) as usize..)?;
    }
    Some(sum)
}
