//! Decoder of a single block.
//!
//! Compressors write literals and copies in turns where data hardly repeats. So a literal is
//! decoded together with the copy that probably follows it: one predictable branch instead of two.

use super::copy::{STEP, WIDE, repeat, wide};
use super::{LONG, LONGEST, TAGS, Tag, bytes_of_copy};

/// Bytes from the place of a literal on that may be written: the literal, and a copy after it, with
/// a last step that begins before its end.
const ROOM: usize = 2 * LONGEST + STEP;
/// Bytes from a tag on that may be read: the tag, the maximum of a literal, a second tag, and its
/// offset.
const AHEAD: usize = 1 + LONGEST + 1 + 2;

/// Decodes elements to the output from byte `done` on, up to a margin before the ends of both
/// buffers. Returns the number of bytes that were read, and the output's length then; it stops at
/// an element that is bad, or of a kind that is not decoded here.
pub(in super::super) fn decompress(input: &[u8], output: &mut [u8], done: usize) -> (usize, usize) {
    let (mut at, mut done) = (0, done);
    let (Some(last), Some(room)) = (input.len().checked_sub(AHEAD), output.len().checked_sub(ROOM)) else {
        return (at, done);
    };
    let (source, to) = (input.as_ptr(), output.as_mut_ptr());
    while at <= last && done <= room {
        // A literal that is copied has LONG bytes at most, and LONGEST are read and written for it.
        // That leaves a tag and an offset behind it, and LONGEST and STEP bytes of room, which a
        // copy of up to LONGEST bytes needs. `wide` reads only written bytes: its copies begin at
        // least WIDE bytes before, or are no longer than their offset, so shorter than WIDE.
        //
        // SAFETY: AHEAD bytes of the input from `at` on are there, and ROOM bytes of the output
        // from `done` on, which is enough, as said above. A copy begins `offset` bytes before
        // `done`, within the output.
        unsafe {
            let mut tag = *source.add(at);
            if tag & 3 == 0 {
                let len = usize::from(tag >> 2) + 1;
                if len > LONG {
                    break;
                }
                let (from, here) = (source.add(at + 1), to.add(done));
                wide(from, here);
                if len > WIDE {
                    wide(from.add(WIDE), here.add(WIDE));
                }
                at += 1 + len;
                done += len;
                tag = *source.add(at);
                if tag & 3 == 0 {
                    continue;
                }
            }
            let Tag { len, offset, mask } = TAGS[usize::from(tag)];
            let trailer = u16::from_le_bytes(source.add(at + 1).cast::<[u8; 2]>().read_unaligned());
            let offset = usize::from(offset) + usize::from(trailer & mask);
            if offset.wrapping_sub(1) >= done {
                break;
            }
            let (here, len) = (to.add(done), usize::from(len));
            if offset >= WIDE || len <= offset {
                let from = here.cast_const().sub(offset);
                wide(from, here);
                if len > WIDE {
                    wide(from.add(WIDE), here.add(WIDE));
                }
            } else {
                repeat(here, offset, len);
            }
            at += bytes_of_copy(tag);
            done += len;
        }
    }
    (at, done)
}
