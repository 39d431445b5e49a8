//! One block after the other.
//!
//! Compressors write literals and copies in turns where data hardly repeats. So a literal is looked
//! at together with the copy that is likely to follow it, which makes one branch that is mostly
//! right of two that often are not.

use super::copy::{STEP, WIDE, repeat, wide};
use super::{LONG, LONGEST, TAGS, Tag, bytes_of_copy};

/// Bytes from where a literal goes that may be written: it, and a copy after it whose last step
/// begins before its end.
const ROOM: usize = 2 * LONGEST + STEP;
/// Bytes from a tag on that may be looked at: it with a literal, or as many as are copied at once,
/// a second tag, and its offset.
const AHEAD: usize = 1 + LONGEST + 1 + 2;

/// Decodes elements to what follows `done` bytes of output, as long as there is room behind the
/// ends of both buffers. Returns how many bytes were read, and the output's length then; it stops
/// at an element that is bad, or of a kind that is not decoded here.
pub(in super::super) fn decompress(input: &[u8], output: &mut [u8], done: usize) -> (usize, usize) {
    let (mut at, mut done) = (0, done);
    let (Some(last), Some(room)) = (input.len().checked_sub(AHEAD), output.len().checked_sub(ROOM)) else {
        return (at, done);
    };
    let (source, to) = (input.as_ptr(), output.as_mut_ptr());
    while at <= last && done <= room {
        // A literal that is copied has LONG bytes at most, and LONGEST are read and written for it.
        // That leaves a tag and an offset behind it, and LONGEST and STEP bytes of room, which a
        // copy of up to LONGEST bytes needs. What `wide` reads was written before: copies that come
        // to it begin WIDE bytes before or earlier, or are no longer than they are apart, so
        // shorter than WIDE.
        //
        // SAFETY: AHEAD bytes of the input from `at` on are there, and ROOM bytes of the output
        // from `done` on, which is enough, as said above. A copy begins `offset` bytes before
        // `done`, where there are as many.
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
