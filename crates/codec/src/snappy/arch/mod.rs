//! Snappy's elements, decoded by wide copies that write past the ends of elements. All `unsafe` of
//! Snappy is here; it runs on every processor.
//!
//! An element is a literal, which is copied from the input, or a copy of earlier output
//! (google/snappy, format_description.txt).

#![allow(unsafe_code)]

mod copy;
mod lanes;
mod one;

pub(super) use lanes::{LANES, Lane, decompress as decompress_lanes};
pub(super) use one::decompress;

/// The longest element but for literals with their length in bytes of its own.
const LONGEST: usize = 64;
/// The longest literal of that kind.
const LONG: usize = 60;

/// Meaning of a tag.
#[derive(Clone, Copy)]
struct Tag {
    /// The length of the element. 0: one that is not decoded here.
    len: u8,
    /// The offset's upper bits that are in the tag.
    offset: u16,
    /// The bits of the two bytes after the tag that belong to the offset.
    mask: u16,
}

/// By tag. Literals with their length in bytes of their own are not decoded here, nor are copies
/// with an offset of four bytes, which no compressor writes for less than 64 KB.
static TAGS: [Tag; 256] = {
    let mut tags = [Tag { len: 0, offset: 0, mask: 0 }; 256];
    let mut tag = 0;
    while tag < 256 {
        let upper = tag as u8 >> 2;
        tags[tag] = match tag & 3 {
            0 if (upper as usize) < LONG => Tag { len: upper + 1, offset: 0, mask: 0 },
            1 => Tag { len: (upper & 7) + 4, offset: (tag as u16 >> 5) << 8, mask: 0xff },
            2 => Tag { len: upper + 1, offset: 0, mask: 0xffff },
            _ => Tag { len: 0, offset: 0, mask: 0 },
        };
        tag += 1;
    }
    tags
};

/// Returns the bytes of a copy with an offset of one or two bytes. Decoding waits for the place of
/// the next tag, which takes less time to compute than to look up.
#[inline(always)]
const fn bytes_of_copy(tag: u8) -> usize {
    1 + (tag & 3) as usize
}

/// Returns the bytes of a literal that is decoded here.
#[inline(always)]
const fn bytes_of_literal(tag: u8) -> usize {
    2 + (tag >> 2) as usize
}
