//! Headers and trailers of zlib (RFC 1950) and gzip (RFC 1952), as zlib writes them.

/// Container of the compressed blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrap {
    Raw,
    Zlib,
    Gzip,
}

/// gzip's header up to its flags: identification, method, no optional fields, no time.
const GZIP: [u8; 8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0];
/// The operating system in gzip's header: zlib writes Unix on Linux.
const UNIX: u8 = 3;
/// Size of the longest header.
const MAX_HEADER: usize = GZIP.len() + 2;

impl Wrap {
    /// Returns the header for a level of zlib's and a window of `1 << log2_window` bytes, which is
    /// written to the beginning of `output`.
    pub fn header(self, level: i32, log2_window: u16, output: &mut [u8; MAX_HEADER]) -> &[u8] {
        match self {
            Wrap::Raw => &[],
            Wrap::Zlib => {
                let effort: u16 = match level {
                    ..2 => 0,
                    2..6 => 1,
                    6 => 2,
                    _ => 3,
                };
                // Method 8, with the logarithm of the window less 8 above it.
                let method = (log2_window - 8) << 4 | 8;
                let header = method << 8 | effort << 6;
                // The header is a multiple of 31.
                output[..2].copy_from_slice(&(header + (31 - header % 31)).to_be_bytes());
                &output[..2]
            }
            Wrap::Gzip => {
                let extra = match level {
                    9 => 2,
                    ..2 => 4,
                    _ => 0,
                };
                output[..GZIP.len()].copy_from_slice(&GZIP);
                output[GZIP.len()..].copy_from_slice(&[extra, UNIX]);
                output
            }
        }
    }

    /// Returns the trailer: the checksum, and gzip's length. It is written to the beginning of
    /// `output`.
    pub fn trailer(self, check: u32, len: u64, output: &mut [u8; 8]) -> &[u8] {
        match self {
            Wrap::Raw => &[],
            Wrap::Zlib => {
                output[..4].copy_from_slice(&check.to_be_bytes());
                &output[..4]
            }
            Wrap::Gzip => {
                output[..4].copy_from_slice(&check.to_le_bytes());
                // gzip stores the length modulo 2^32.
                output[4..].copy_from_slice(&(len as u32).to_le_bytes());
                output
            }
        }
    }
}
