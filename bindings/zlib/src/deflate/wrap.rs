//! Headers and trailers: zlib's (RFC 1950) and gzip's (RFC 1952), as zlib writes them.

use super::block_encoder::{Blocks, MARKS};
use super::stream::Wrap;
use crate::buffer::NoMemory;

/// gzip's header up to its flags: identification, method, no optional fields, no time.
const GZIP: [u8; 8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0];
/// Unix, which is what zlib says of itself on Linux.
const UNIX: u8 = 3;

impl Blocks {
    /// Packs what comes before the first block.
    pub(super) fn pack_header(&mut self, level: i32) -> Result<(), NoMemory> {
        if self.wrap != Wrap::Raw {
            self.make_room(MARKS)?;
        }
        match self.wrap {
            Wrap::Raw => Ok(()),
            Wrap::Zlib => {
                let effort: u16 = match level {
                    ..2 => 0,
                    2..6 => 1,
                    6 => 2,
                    _ => 3,
                };
                // The method, 8, and the logarithm of the window less 8 above it.
                let method = (self.window.bytes().ilog2() as u16 - 8) << 4 | 8;
                let header = method << 8 | effort << 6;
                // A multiple of 31.
                self.packed.extend_from_slice(&(header + (31 - header % 31)).to_be_bytes())
            }
            Wrap::Gzip => {
                let extra = match level {
                    9 => 2,
                    ..2 => 4,
                    _ => 0,
                };
                self.packed.extend_from_slice(&GZIP)?;
                self.packed.extend_from_slice(&[extra, UNIX])
            }
        }
    }
}

/// What comes after the last block, in front of `room`.
pub(super) fn trailer(wrap: Wrap, check: u32, len: u64, room: &mut [u8; 8]) -> &[u8] {
    match wrap {
        Wrap::Raw => &[],
        Wrap::Zlib => {
            room[..4].copy_from_slice(&check.to_be_bytes());
            &room[..4]
        }
        Wrap::Gzip => {
            room[..4].copy_from_slice(&check.to_le_bytes());
            // Modulo 2^32.
            room[4..].copy_from_slice(&(len as u32).to_le_bytes());
            room
        }
    }
}
