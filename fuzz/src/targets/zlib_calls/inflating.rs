//! Decompression with one library. The result and the state after every call are noted.

use libz_rs_sys::{Z_BUF_ERROR, Z_FINISH, Z_NO_FLUSH, Z_OK, Z_STREAM_END, gz_header, z_stream};

use super::api::Zlib;
use super::pulls::Pull;
use super::stream::{begin_inflate, blank, give, message, with_capacity};

/// Fields of `data_type`: between two blocks, and the number of unused bits. zlib-rs does not
/// always know either.
const BETWEEN_BLOCKS: i32 = 128;
const BITS_LEFT: i32 = 63;
/// zlib-rs does not remember which of these it was.
const WRONG_CODES: [&str; 3] =
    ["invalid distance too far back", "invalid distance code", "invalid literal/length code"];

/// One library at work.
pub struct Inflating<'a> {
    zlib: &'a Zlib,
    strm: Box<z_stream>,
    compressed: &'a [u8],
    dictionary: &'a [u8],
    /// Number of bytes of `compressed` given so far.
    shown: usize,
    /// Whether zlib-rs may decode the stream: bits were put into its header, or it was passed over
    /// to a mark before its first block, or after its end.
    is_foreign: bool,
    /// Whether another stream begins with the next call that decompresses; the state of the one
    /// before can still be read.
    is_reset: bool,
    /// Whether the last call came to the end of the stream.
    ended: bool,
    /// The stream has come to its end, and was not begun anew since.
    is_behind_end: bool,
    /// Number of unused bits, including those put before the rest.
    primed: i32,
    /// Whether a call had Z_FINISH.
    hurried: bool,
    /// Output.
    pub uncompressed: Vec<u8>,
    /// The one that the stream has, and those that it had.
    headers: Vec<Header>,
}

impl<'a> Inflating<'a> {
    /// Begins with these `windowBits`.
    pub fn begin(zlib: &'a Zlib, bits: i32, compressed: &'a [u8], dictionary: &'a [u8]) -> (Self, String) {
        let (strm, code) = begin_inflate(zlib, bits);
        let this = Self {
            zlib,
            strm,
            compressed,
            dictionary,
            shown: 0,
            is_foreign: false,
            is_reset: false,
            ended: false,
            is_behind_end: false,
            primed: 0,
            hurried: false,
            uncompressed: vec![],
            headers: vec![],
        };
        let note = this.note(code);
        (this, note)
    }

    /// Code and fields after a call.
    fn note(&self, code: i32) -> String {
        let z_stream { avail_in, avail_out, total_in, total_out, adler, .. } = *self.strm;
        // zlib adds the consumed bytes as an unsigned 32-bit number to a wider one: where bits that
        // the caller put in are returned as a byte, the sum is too large by 2^32. Ours, as zlib-rs,
        // subtracts the byte.
        let total_in = total_in as u32;
        let mut data_type = self.strm.data_type;
        if self.is_foreign {
            data_type &= !(BETWEEN_BLOCKS | BITS_LEFT);
        }
        let message = match message(&self.strm) {
            told if WRONG_CODES.contains(&told) && self.is_foreign => "a wrong code",
            told => told,
        };
        format!(
            "{code} {message} | in {total_in} left {avail_in} | out {total_out} left {avail_out} | adler {adler:08x} type \
             {data_type}"
        )
    }

    /// Shows the library `more` bytes behind those that it has not read.
    fn show(&mut self, more: usize) {
        let consumed = self.shown - self.strm.avail_in as usize;
        self.shown = self.compressed.len().min(self.shown + more);
        give(&mut self.strm, &self.compressed[consumed..self.shown]);
    }

    fn inflate(&mut self, more: usize, flush: i32, capacity: usize) -> i32 {
        self.show(more);
        self.is_foreign &= !std::mem::take(&mut self.is_reset);
        self.hurried |= flush == Z_FINISH;
        let zlib = self.zlib;
        // SAFETY: the stream is open, on buffers that are as long as it says.
        let code = with_capacity(&mut self.strm, &mut self.uncompressed, capacity, |strm| unsafe {
            (zlib.inflate)(strm, flush)
        });
        self.ended = code == Z_STREAM_END;
        self.is_behind_end |= self.ended;
        self.primed = self.strm.data_type & BITS_LEFT;
        code
    }

    /// Returns whether the input may be the end of a marker that begins in the bits that were read
    /// ahead. Those are searched with other bits next to them before zlib 1.3.1.
    fn may_go_on_with_a_marker(&self) -> bool {
        let next = match self.strm.avail_in {
            0 => &[][..],
            // SAFETY: the input is as long as the stream says.
            len => unsafe { std::slice::from_raw_parts(self.strm.next_in, len as usize) },
        };
        matches!(next, [0xff, ..] | [0] | [0, 0xff, ..])
    }

    /// Makes a call, and returns its results for the comparison.
    pub fn pull(&mut self, pull: Pull) -> String {
        let (zlib, strm) = (self.zlib, &raw mut *self.strm);
        // SAFETY: the stream is open, and the other arguments have the lengths given, here and in
        // all arms.
        let code = unsafe {
            match pull {
                Pull::Inflate { more, flush, capacity } => self.inflate(more, flush, capacity),
                Pull::Reset => {
                    (self.ended, self.is_behind_end, self.is_reset) = (false, false, true);
                    (zlib.inflateReset)(strm)
                }
                Pull::Reset2 { bits } => {
                    let code = (zlib.inflateReset2)(strm, bits);
                    self.ended &= code != Z_OK;
                    self.is_behind_end &= code != Z_OK;
                    self.is_reset |= code == Z_OK;
                    code
                }
                Pull::Copy { keep } => self.copy(keep),
                Pull::Sync { more } => {
                    self.show(more);
                    if self.may_go_on_with_a_marker() {
                        return "left out".to_owned();
                    }
                    if self.ended || self.strm.total_out == 0 {
                        (self.is_foreign, self.is_reset) = (true, false);
                    }
                    let code = (zlib.inflateSync)(strm);
                    self.is_behind_end &= code != Z_OK;
                    code
                }
                Pull::Ask => {
                    // The rest of a match. Ours does not know the distance in bits to its begin if
                    // it was decoded with others, nor after an error.
                    let mark = (zlib.inflateMark)(strm);
                    let left = if self.strm.msg.is_null() { mark & 0xffff } else { 0 };
                    let code = (zlib.inflateSyncPoint)(strm);
                    return format!("left {left} {}", self.note(code));
                }
                // Bits given after the end are of no use, and not always counted.
                Pull::Prime { .. } if self.ended => Z_OK,
                // Where zlib decodes fast, it returns eight bits as a byte of input, which is wrong
                // for primed bits.
                Pull::Prime { bits, .. } if self.primed + bits.max(0) > 7 && self.strm.total_in > 0 => Z_OK,
                Pull::Prime { bits, value } => {
                    self.primed += bits.max(0);
                    if self.strm.total_out == 0 {
                        (self.is_foreign, self.is_reset) = (true, false);
                    }
                    (zlib.inflatePrime)(strm, bits, value)
                }
                Pull::Dictionary { right } => {
                    let dictionary = if right { self.dictionary } else { b"another dictionary" };
                    (zlib.inflateSetDictionary)(strm, dictionary.as_ptr(), dictionary.len() as u32)
                }
                Pull::GetDictionary => return self.get_dictionary(),
                // zlib-rs has none if it was not wanted with gzip's header.
                Pull::Validate { .. } if self.is_foreign => Z_OK,
                Pull::Validate { check } => (zlib.inflateValidate)(strm, check.into()),
                Pull::Header { capacity } => {
                    let mut header = Header::new(capacity);
                    let code = (zlib.inflateGetHeader)(strm, &mut *header.fields);
                    self.headers.push(header);
                    code
                }
            }
        };
        self.note(code)
    }

    fn copy(&mut self, keep: bool) -> i32 {
        let mut other = blank();
        // SAFETY: one stream is open, the other not begun.
        let code = unsafe { (self.zlib.inflateCopy)(&mut *other, &mut *self.strm) };
        if code == Z_OK {
            if keep {
                std::mem::swap(&mut self.strm, &mut other);
            }
            // SAFETY: the stream is open, and not used again.
            assert_eq!(unsafe { (self.zlib.inflateEnd)(&mut *other) }, Z_OK, "inflateEnd of a copy");
        }
        code
    }

    fn get_dictionary(&mut self) -> String {
        let (mut window, mut len) = (vec![0_u8; 1 << 15], u32::MAX);
        // SAFETY: the stream is open, and the buffer has the capacity of the largest window.
        let code =
            unsafe { (self.zlib.inflateGetDictionary)(&mut *self.strm, window.as_mut_ptr(), &mut len) };
        window.truncate(len as usize);
        if !self.strm.msg.is_null() || self.is_behind_end || self.hurried {
            // It is not specified whether the window has the bytes written just before an error or
            // the end, nor those of a call with Z_FINISH: zlib keeps none of them once all blocks
            // are read.
            return self.note(code);
        }
        // zlib-rs may keep more than the window.
        let len = if self.is_foreign { len.min(1 << 8) } else { len };
        let end = &window[window.len().saturating_sub(8)..];
        let same = self.uncompressed.ends_with(&window);
        format!("{} window {len}, {end:?}, what was written: {same}", self.note(code))
    }

    /// Decompresses the rest, closes the stream, and returns all results for the comparison.
    pub fn finish(&mut self, capacity: usize) -> Vec<String> {
        let mut notes = vec![];
        loop {
            let code = self.inflate(self.compressed.len(), Z_NO_FLUSH, capacity);
            notes.push(self.note(code));
            if code != Z_OK || code == Z_BUF_ERROR {
                break;
            }
        }
        notes.extend(self.headers.iter().map(Header::note));
        // SAFETY: the stream is open, and not used again.
        let code = unsafe { (self.zlib.inflateEnd)(&mut *self.strm) };
        notes.push(format!("end: {code}"));
        notes
    }
}

/// A gzip header that `inflateGetHeader` fills in, with the buffers that it points to; none of them
/// may move.
struct Header {
    /// Structure for the library.
    fields: Box<gz_header>,
    buffers: [Vec<u8>; 3],
}

impl Header {
    /// Makes one with this capacity for each field; without buffers if it is 255.
    fn new(capacity: u8) -> Self {
        let mut buffers = [0; 3].map(|_| vec![0xAA; capacity.into()]);
        // SAFETY: all zeros are null pointers and numbers.
        let mut fields: Box<gz_header> = Box::new(unsafe { std::mem::zeroed() });
        if capacity < 255 {
            let [extra, name, comment] = &mut buffers;
            (fields.extra, fields.extra_max) = (extra.as_mut_ptr(), capacity.into());
            (fields.name, fields.name_max) = (name.as_mut_ptr(), capacity.into());
            (fields.comment, fields.comm_max) = (comment.as_mut_ptr(), capacity.into());
        }
        Self { fields, buffers }
    }

    /// Describes the content after a call.
    fn note(&self) -> String {
        let gz_header { text, time, xflags, os, extra, extra_len, name, comment, hcrc, done, .. } =
            *self.fields;
        let there = [extra, name, comment].map(|field| !field.is_null());
        let buffers = &self.buffers;
        format!(
            "text {text} time {time} xflags {xflags} os {os} extra {extra_len} hcrc {hcrc} done {done} \
             {there:?} {buffers:?}"
        )
    }
}
