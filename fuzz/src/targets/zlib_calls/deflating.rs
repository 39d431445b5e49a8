//! Compression with one library by a plan. At the end and after every flush, the output has to
//! decode to the input; results that both libraries have to share are noted.

use std::rc::Rc;

use libz_rs_sys::{
    Z_BUF_ERROR, Z_DATA_ERROR, Z_DEFLATED, Z_FINISH, Z_FULL_FLUSH, Z_NO_FLUSH, Z_OK, Z_PARTIAL_FLUSH,
    Z_STREAM_END, Z_STREAM_ERROR, Z_SYNC_FLUSH, z_stream,
};

use super::api::Zlib;
use super::decoder::Decoder;
use super::libraries::libraries;
use super::memory::Memory;
use super::plan::{Plan, Step};
use super::stream::{SIZE, VERSION, blank, give, message, with_capacity};

/// Bytes from which zlib's bound for the fixed code, with a ninth bit for each, is no less than
/// that of a stored block.
const BOUND_IN_EIGHTHS: u64 = 8;

/// Room for anything that is written of [`super::plan`]'s data at once.
const ALL: usize = 1 << 20;
/// The largest window.
const WINDOW: usize = 1 << 15;
/// Less capacity lets a flush write its marker again and again, as zlib's manual says.
const FLUSH_CAPACITY: usize = 7;

/// A written stream, its decoded bytes, and their dictionary.
pub struct Written {
    pub compressed: Vec<u8>,
    pub dictionary: Vec<u8>,
}

/// One library at work.
pub struct Deflating<'a> {
    zlib: &'a Zlib,
    plan: &'a Plan,
    uncompressed: &'a [u8],
    strm: Box<z_stream>,
    lender: Rc<Memory>,
    /// Start of the stream in `uncompressed`, and the number of bytes of `uncompressed` given so
    /// far.
    start: usize,
    shown: usize,
    compressed: Vec<u8>,
    decoder: Decoder,
    dictionary: Vec<u8>,
    /// Dictionaries and input in the order in which they were given, up to the last dictionary, and
    /// the place of that in `uncompressed`.
    history: (Vec<u8>, usize),
    /// Bytes that dictionaries added to total_in, as with zlib.
    counted: u64,
    /// All that was given is written, and ends at a byte.
    flushed: bool,
    /// Z_FINISH was requested, and then completed.
    finishing: bool,
    ended: bool,
    /// Nothing was given since the level or the strategy changed.
    changed: bool,
    /// Place in `compressed` and `uncompressed` where a decoder can begin, if nothing else was
    /// given since.
    restart: Option<(usize, usize)>,
    /// Notes that have to be equal for both libraries.
    pub notes: Vec<String>,
    /// Streams, whole or not.
    pub written: Vec<Written>,
}

impl<'a> Deflating<'a> {
    /// Does all that the plan says.
    pub fn run(zlib: &'a Zlib, plan: &'a Plan, uncompressed: &'a [u8]) -> Self {
        let (mut strm, lender) = (blank(), Rc::new(Memory::default()));
        if plan.own_memory {
            lender.lend(&mut strm);
        }
        let Plan { level, bits, memory, strategy, .. } = *plan;
        // SAFETY: the stream has not been begun.
        let code = unsafe {
            (zlib.deflateInit2_)(&mut *strm, level, Z_DEFLATED, bits, memory, strategy, VERSION, SIZE)
        };
        assert_eq!(code, Z_OK, "deflateInit2 refuses what zlib takes");
        let mut this = Self {
            zlib,
            plan,
            uncompressed,
            strm,
            lender,
            start: 0,
            shown: 0,
            compressed: vec![],
            decoder: Decoder::new(bits),
            dictionary: vec![],
            history: (vec![], 0),
            counted: 0,
            flushed: true,
            finishing: false,
            ended: false,
            changed: false,
            restart: None,
            notes: vec![],
            written: vec![],
        };
        this.note("begun", code);
        for (number, step) in plan.steps.iter().enumerate() {
            if this.plan.ample {
                this.notes.push(format!("step {number}"));
            }
            this.step(*step);
        }
        this.finish();
        this.end();
        this.lender.check();
        this
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Deflate { more, flush, capacity, insist } => self.deflate(more, flush, capacity, insist),
            Step::Params { level, strategy } => self.params(level, strategy),
            Step::Tune { good, lazy, nice, chain } => {
                // SAFETY: the stream is open.
                let code = unsafe { (self.zlib.deflateTune)(&mut *self.strm, good, lazy, nice, chain) };
                self.note("tune", code);
            }
            Step::Reset { keep } => self.reset(keep),
            Step::Copy { keep } => self.copy(keep),
            Step::Dictionary { len } => self.set_dictionary(len),
            Step::Prime { bad } => self.prime(bad),
            Step::Pending => self.pending(),
            Step::Whole => self.whole(),
        }
    }

    /// Notes a call's result, where it does not depend on when a library writes.
    fn note(&mut self, call: &str, code: i32) {
        if self.plan.ample {
            let (total, adler) = (self.strm.total_in, self.strm.adler);
            // Other calls leave the message of one before, which may have done well and tried
            // something within that did not. Z_BUF_ERROR is compared as a code.
            let is_told = ["deflate", "after the end"].contains(&call) && code < Z_OK && code != Z_BUF_ERROR;
            let message = if is_told { message(&self.strm) } else { "" };
            self.notes.push(format!("{call}: {code} in {total} adler {adler:08x} {message}"));
        }
    }

    /// Returns the number of consumed bytes.
    fn consumed(&self) -> usize {
        self.shown - self.strm.avail_in as usize
    }

    /// Shows the library `more` bytes behind those that it has not read.
    fn show(&mut self, more: usize) {
        let consumed = self.consumed();
        self.shown = self.uncompressed.len().min(self.shown + more);
        give(&mut self.strm, &self.uncompressed[consumed..self.shown]);
    }

    /// Calls `deflate` once and decodes the output.
    fn call(&mut self, flush: i32, capacity: usize) -> i32 {
        let capacity = if self.plan.ample && capacity > 0 { ALL } else { capacity };
        let consumed = self.consumed();
        let (zlib, len) = (self.zlib, self.compressed.len());
        // SAFETY: the stream is open, on buffers that are as long as it says.
        let call = |strm| unsafe { (zlib.deflate)(strm, flush) };
        let code = with_capacity(&mut self.strm, &mut self.compressed, capacity, call);
        let read = (self.consumed() - self.start) as u64;
        assert_eq!(self.strm.total_in, self.counted + read, "total_in is not what was read");
        if code == Z_BUF_ERROR {
            assert!(
                self.consumed() == consumed && self.compressed.len() == len,
                "Z_BUF_ERROR, but something was done"
            );
        }
        self.check(false);
        code
    }

    /// Decodes the output, and checks that it is a part of the consumed input, or all of it.
    fn check(&mut self, all: bool) {
        self.decoder.take(&self.compressed);
        let given = &self.uncompressed[self.start..self.consumed()];
        let got = &self.decoder.uncompressed;
        assert!(given.starts_with(got), "decodes to something else");
        assert!(!all || got.len() == given.len(), "{} of {} bytes can be decoded", got.len(), given.len());
    }

    fn deflate(&mut self, more: usize, flush: i32, capacity: usize, insist: bool) {
        let mut flush = flush;
        if self.finishing && !self.plan.ample {
            // When a library has read all and refuses more depends on when it writes.
            flush = Z_FINISH;
        } else {
            self.show(more);
        }
        self.finishing |= flush == Z_FINISH;
        let (given, len) = (self.strm.avail_in, self.compressed.len());
        let mut code = self.call(flush, capacity);
        let flushing = [Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH].contains(&flush);
        while insist && flushing && code == Z_OK && self.strm.avail_out == 0 {
            code = self.call(flush, capacity.max(FLUSH_CAPACITY));
        }
        // zlib-rs holds output back at level 1. To write that is something that was left to do.
        let late = flush == Z_NO_FLUSH && given == 0 && code == Z_OK && self.compressed.len() > len;
        // zlib-rs ends a block between more levels than zlib; then a flush is no repetition of the
        // one before.
        self.changed &= given == 0;
        let new = self.changed && code == Z_OK && given == 0;
        self.note("deflate", if late || new { Z_BUF_ERROR } else { code });
        assert!(
            self.plan.ample || [Z_OK, Z_BUF_ERROR, Z_STREAM_END].contains(&code),
            "deflate returned {code}"
        );
        if code == Z_STREAM_END {
            self.see_end();
        }
        let complete = flushing && code == Z_OK && self.strm.avail_out > 0;
        if complete {
            self.check(true);
            assert_eq!(self.strm.avail_in, 0, "there was room, but not all was read");
        }
        if complete && flush == Z_FULL_FLUSH {
            self.restart = Some((self.compressed.len(), self.consumed()));
        }
        // A call that did nothing changes nothing.
        self.flushed = (complete && flush != Z_PARTIAL_FLUSH) || self.flushed && code == Z_BUF_ERROR;
    }

    fn whole(&mut self) {
        if self.compressed.is_empty() && self.consumed() == self.start && !self.finishing {
            self.show(self.uncompressed.len());
            let len = (self.shown - self.start) as u64;
            // SAFETY: the stream is open.
            let mut bound = unsafe { (self.zlib.deflateBound)(&mut *self.strm, len) };
            if len < BOUND_IN_EIGHTHS && std::ptr::eq(self.zlib, &libraries().system) {
                // zlib 1.2's says a byte too little at level 0, as for the fixed code, and leaves
                // out the ten bits of a primed block.
                bound += 3;
            }
            self.finishing = true;
            let code = self.call(Z_FINISH, bound as usize);
            assert!(code == Z_STREAM_END, "deflateBound({len}) is {bound}, but deflate returned {code}");
            self.see_end();
        }
    }

    /// The stream has ended: everything was read, and everything decodes.
    fn see_end(&mut self) {
        self.ended = true;
        if self.strm.avail_in > 0 && self.plan.ample {
            return; // given after the end
        }
        self.check(true);
        assert!(
            self.decoder.ended && self.decoder.consumed == self.compressed.len(),
            "the stream has another end"
        );
        if let Some((compressed, uncompressed)) = self.restart {
            let mut decoder = Decoder::new(-15);
            decoder.take(&self.compressed[compressed..]);
            assert!(
                decoder.uncompressed == self.uncompressed[uncompressed..self.consumed()],
                "a full flush is no place to begin"
            );
        }
    }

    fn params(&mut self, level: i32, strategy: i32) {
        // Between which levels input that is left is compressed before the change is each library's
        // own choice.
        if self.finishing || self.plan.ample && self.consumed() < self.shown {
            return;
        }
        let before = (self.consumed(), self.compressed.len());
        let zlib = self.zlib;
        // SAFETY: the stream is open, on buffers that are as long as it says.
        let call = |strm| unsafe { (zlib.deflateParams)(strm, level, strategy) };
        let capacity = if self.plan.ample { ALL } else { FLUSH_CAPACITY };
        let code = with_capacity(&mut self.strm, &mut self.compressed, capacity, call);
        self.check(false);
        self.note("params", code);
        self.changed = true;
        // With little capacity, the consumed input depends on how the library searches.
        let is_right = code == Z_OK || code == Z_BUF_ERROR && !self.plan.ample || code == Z_STREAM_ERROR;
        assert!(is_right, "deflateParams returned {code}");
        self.flushed &= (self.consumed(), self.compressed.len()) == before;
    }

    fn set_dictionary(&mut self, len: usize) {
        let (start, raw) = (self.consumed(), self.plan.raw());
        // With two dictionaries, the header would name both together.
        let at_begin = self.dictionary.is_empty()
            && self.compressed.is_empty()
            && start == self.start
            && self.shown == start;
        if self.finishing || !self.flushed || self.shown > start || !(raw || at_begin) {
            return;
        }
        let dictionary = &self.uncompressed[..len.min(self.uncompressed.len())];
        let (bytes, len, before) = (dictionary.as_ptr(), dictionary.len() as u32, self.strm.total_in);
        // SAFETY: the stream is open, and the dictionary that long.
        let code = unsafe { (self.zlib.deflateSetDictionary)(&mut *self.strm, bytes, len) };
        self.counted += self.strm.total_in - before;
        self.note("dictionary", code);
        if code == Z_OK {
            self.decoder.dictionary(dictionary, raw);
            self.dictionary = dictionary.to_vec();
            self.history.0 = [&self.past()[..], dictionary].concat();
            self.history.1 = start;
            self.restart = None;
        }
    }

    /// Returns what matches may reach back to.
    fn past(&self) -> Vec<u8> {
        let (before, since) = &self.history;
        [&before[..], &self.uncompressed[*since..self.consumed()]].concat()
    }

    fn prime(&mut self, bad: bool) {
        let zlib = self.zlib;
        // SAFETY: the stream is open, here and below.
        let mut call = |bits, value| unsafe { (zlib.deflatePrime)(&mut *self.strm, bits, value) };
        if bad {
            let code = call(17, 0);
            self.note("prime", code);
        } else if self.plan.raw() && self.flushed && !self.finishing {
            // An empty block with the fixed code: three bits of header, and seven for its end.
            let codes = (call(3, 0b010), call(7, 0));
            assert_eq!(codes, (Z_OK, Z_OK), "deflatePrime");
            self.flushed = false;
        }
    }

    fn pending(&mut self) {
        let (mut bytes, mut bits) = (u32::MAX, i32::MAX);
        // SAFETY: the stream is open, and there are two numbers.
        let code = unsafe { (self.zlib.deflatePending)(&mut *self.strm, &mut bytes, &mut bits) };
        assert_eq!(code, Z_OK, "deflatePending");
        assert!(!self.flushed || (bytes, bits) == (0, 0), "{bytes} bytes, {bits} bits after a flush");
    }

    fn reset(&mut self, keep: bool) {
        // A stream that was cut short leaves input behind. One with a header does not say that it
        // has a history. With a window smaller than the maximum, the output of Debian's zlib after
        // it decodes to something else.
        let keep = keep && self.ended && self.plan.bits == -15;
        let past = self.past();
        self.keep();
        let zlib = self.zlib;
        // SAFETY: the stream is open.
        let code = unsafe {
            match keep {
                true => (zlib.deflateResetKeep)(&mut *self.strm),
                false => (zlib.deflateReset)(&mut *self.strm),
            }
        };
        self.start = self.consumed();
        self.shown = self.start;
        self.strm.avail_in = 0;
        (self.flushed, self.finishing, self.ended, self.restart) = (true, false, false, None);
        (self.counted, self.history) = (0, (vec![], self.start));
        self.decoder = Decoder::new(self.plan.bits);
        if keep {
            self.dictionary = past[past.len().saturating_sub(WINDOW)..].to_vec();
            self.history.0 = self.dictionary.clone();
            self.decoder.dictionary(&self.dictionary, true);
        }
        self.note("reset", code);
    }

    /// Keeps the output for the decompressors.
    fn keep(&mut self) {
        let (compressed, dictionary) =
            (std::mem::take(&mut self.compressed), std::mem::take(&mut self.dictionary));
        self.written.push(Written { compressed, dictionary });
    }

    fn copy(&mut self, keep: bool) {
        let mut other = blank();
        // SAFETY: one stream is open, the other not begun.
        let code = unsafe { (self.zlib.deflateCopy)(&mut *other, &mut *self.strm) };
        self.note("copy", code);
        assert_eq!(code, Z_OK, "deflateCopy");
        if keep {
            std::mem::swap(&mut self.strm, &mut other);
        }
        // The other one is finished, on its own.
        let mut twin = Self {
            strm: other,
            lender: self.lender.clone(),
            compressed: self.compressed.clone(),
            decoder: self.decoder.copy(),
            dictionary: self.dictionary.clone(),
            history: self.history.clone(),
            notes: vec![],
            written: vec![],
            ..*self
        };
        twin.finish();
        twin.end();
        self.notes.append(&mut twin.notes);
    }

    /// Finishes the stream, if it was not.
    fn finish(&mut self) {
        while !self.ended {
            let before = (self.consumed(), self.compressed.len());
            self.finishing = true;
            let code = self.call(Z_FINISH, self.plan.last_capacity);
            match code {
                Z_STREAM_END => self.see_end(),
                Z_OK | Z_BUF_ERROR => {
                    assert!(
                        (self.consumed(), self.compressed.len()) != before,
                        "Z_FINISH with room does nothing"
                    );
                }
                _ => panic!("Z_FINISH returned {code}"),
            }
        }
        self.note("finished", Z_STREAM_END);
        let code = self.call(Z_NO_FLUSH, self.plan.last_capacity);
        self.note("after the end", code);
    }

    /// Closes the stream.
    fn end(&mut self) {
        self.keep();
        // SAFETY: the stream is open, and not used again.
        let code = unsafe { (self.zlib.deflateEnd)(&mut *self.strm) };
        assert!(code == Z_OK || code == Z_DATA_ERROR, "deflateEnd returned {code}");
        self.note("end", code);
        assert!(self.strm.state.is_null(), "deflateEnd left a state");
    }
}
