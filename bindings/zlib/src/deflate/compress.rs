//! Compressing what was gathered, and what follows a block when the stream is flushed.

use libz_rs_sys::{Z_DEFAULT_STRATEGY, Z_FULL_FLUSH, Z_NO_FLUSH, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH};
use pelton_codec::{BitWriter, Error, PendingBits, part_bound};

use super::block_encoder::{Blocks, MARKS};
use super::encoders::{CODERS, Coders};
use super::fallback::{self, THEIRS, Way};
use super::policy;
use crate::buffer::NoMemory;
use crate::offload::{InlineRun, Kind, Who, ask};
use crate::stats::{self, Reason};

/// A block of the fixed code that holds nothing but its end: ten bits, of which three say what it
/// is.
const EMPTY_FIXED: (u32, u32) = (0b010, 10);
/// The same as the last block.
const LAST_EMPTY: (u32, u32) = (0b011, 10);

/// Less than this of a history is always used; of a longer one, as much as a few times the piece,
/// since a coder notes all of it before it begins. A window is used from 8 KB on.
const LITTLE: usize = 4 << 10;

/// Who has what was gathered.
enum Routed {
    /// An accelerator has compressed it, and the end of the stream was packed if that was it.
    There,
    /// The caller is to compress it, and to say when it is done if the router waits for that.
    Here(Option<InlineRun>),
}

impl Blocks {
    /// Compresses what was gathered, at a level of zlib's.
    pub fn pack(&mut self, level: i32, is_last: bool) -> Result<(), NoMemory> {
        self.join()?;
        if self.gathered().is_empty() && !is_last {
            return Ok(());
        }
        let len = self.gathered().len();
        // With strategies, a literal may take nine bits.
        let more = if self.strategy == Z_DEFAULT_STRATEGY { 0 } else { len / 8 };
        let most = part_bound(len) + more;
        self.make_room(most + MARKS)?;
        let run = match self.route(level, is_last)? {
            Routed::There => return Ok(()),
            Routed::Here(run) => run,
        };
        let before = self.packed.len();
        let done = CODERS.with(Coders::new, |coders| self.pack_with(coders, level, is_last, most));
        done.ok_or(NoMemory)??;
        run.into_iter().for_each(|run| run.complete(self.packed.len() - before));
        Ok(())
    }

    /// Has an accelerator compress what was gathered, at a level of zlib's, if it is its turn.
    fn route(&mut self, asked: i32, is_last: bool) -> Result<Routed, NoMemory> {
        if self.strategy != Z_DEFAULT_STRATEGY {
            return Ok(Routed::Here(None));
        }
        let is_whole = is_last && self.start == 0 && self.pending == PendingBits::default();
        let kind = if is_whole { Kind::Whole } else { Kind::Part };
        let there = match ask(kind, asked, self.window, self.gathered()) {
            Who::There(there) => there,
            Who::Here(run) => return Ok(Routed::Here(run)),
        };
        if self.pending != PendingBits::default() {
            self.mark(Z_SYNC_FLUSH)?;
        }
        let before = self.packed.len();
        self.packed.resize(before + part_bound(self.gathered().len()))?;
        let len = match there.run(&self.plain[self.start..], &mut self.packed[before..]) {
            Ok(len) => len,
            Err(run) => {
                self.packed.truncate(before);
                return Ok(Routed::Here(run));
            }
        };
        self.packed.truncate(before + len);
        self.is_by_device = true;
        if is_last && kind == Kind::Part {
            self.write(LAST_EMPTY)?;
        }
        self.end(is_last)?;
        Ok(Routed::There)
    }

    /// The same, with coders. There is room for `most` bytes.
    fn pack_with(
        &mut self,
        coders: &mut Coders,
        asked: i32,
        is_last: bool,
        most: usize,
    ) -> Result<(), NoMemory> {
        let before = self.packed.len();
        if is_last
            && self.start == 0
            && self.strategy == Z_DEFAULT_STRATEGY
            && self.pending == PendingBits::default()
        {
            self.packed.resize(before + part_bound(self.plain.len()))?;
            let len = policy::compress_one_shot(
                coders,
                self.window,
                asked,
                &self.plain,
                &mut self.packed[before..],
            );
            self.packed.truncate(before + len.unwrap_or(0));
            if len.is_some() {
                return self.end(is_last);
            }
        }
        let len = self.gathered().len();
        let level = self.level(coders, asked);
        let reason = match level {
            _ if self.strategy != Z_DEFAULT_STRATEGY => Some(Reason::Strategy),
            THEIRS => Some(policy::why_theirs(coders, asked)),
            _ => None,
        };
        if let Some(reason) = reason
            && self.pack_theirs(asked, reason, is_last, most)?
        {
            return self.end(is_last);
        }
        let before = self.packed.len();
        self.packed.resize(before + part_bound(len))?;
        let history = self.start.min(LITTLE.max(4 * len));
        let plain = &self.plain[self.start - history..];
        coders.blocks.set_window(self.window);
        let mut to = BitWriter::resume(&mut self.packed[before..], self.pending);
        let level = level.min(policy::SMALLEST);
        let done = coders.blocks.deflate_after(plain, history, level, is_last, &mut to);
        if let Err(error) = done {
            assert!(
                matches!(error, Error::OutOfMemory { .. }),
                "a piece of {len} bytes fits into the bound for it"
            );
            self.packed.truncate(before);
            return Err(NoMemory);
        }
        let (bytes, pending) = to.pause();
        self.packed.truncate(before + bytes);
        self.pending = pending;
        self.choice.note(len, bytes);
        self.end(is_last)
    }

    /// Our level for what was gathered, at a level of zlib's. With strategies, which are zlib-rs's,
    /// no sample is tried.
    pub(super) fn level(&mut self, coders: &mut Coders, asked: i32) -> i32 {
        match self.strategy {
            Z_DEFAULT_STRATEGY => self.choice.level(coders, asked, self.window, &self.plain[self.start..]),
            _ => policy::untried(asked),
        }
    }

    /// Goes on after a block.
    fn end(&mut self, is_last: bool) -> Result<(), NoMemory> {
        self.keep_window();
        if is_last { self.finish() } else { Ok(()) }
    }

    /// Has zlib-rs compress what was gathered; whether it could.
    fn pack_theirs(
        &mut self,
        level: i32,
        reason: Reason,
        is_last: bool,
        most: usize,
    ) -> Result<bool, NoMemory> {
        if self.pending != PendingBits::default() {
            self.mark(Z_SYNC_FLUSH)?;
        }
        let way = Way { level, strategy: self.strategy, window: self.window };
        stats::plain(reason);
        let before = self.packed.len();
        self.packed.resize(before + most)?;
        let packed = fallback::pack(&self.plain, self.start, way, is_last, &mut self.packed[before..]);
        self.packed.truncate(before + packed.unwrap_or(0));
        if let Some(packed) = packed {
            self.choice.note(self.gathered().len(), packed);
        }
        Ok(packed.is_some())
    }

    /// Packs what comes after the last block.
    fn finish(&mut self) -> Result<(), NoMemory> {
        self.align()?;
        let mut trailer = [0; 8];
        let trailer = self.wrap.trailer(self.check, self.len, &mut trailer);
        self.packed.extend_from_slice(trailer)?;
        self.is_finished = true;
        Ok(())
    }

    /// Compresses a stream that is whole from its beginning, header and trailer included, straight
    /// into `output`. None if it does not fit, or has to be done block by block; nothing has
    /// changed then.
    pub fn pack_at_once(&mut self, level: i32, input: &[u8], output: &mut [u8]) -> Option<usize> {
        let header = self.packed.len();
        let room = output.get_mut(header..)?;
        let len = self.pack_whole(level, input, room)?;
        let check = self.checked(input);
        let mut trailer = [0; 8];
        let trailer = self.wrap.trailer(check, input.len() as u64, &mut trailer);
        output.get_mut(header + len..)?.get_mut(..trailer.len())?.copy_from_slice(trailer);
        output[..header].copy_from_slice(&self.packed);
        let written = header + len + trailer.len();
        self.packed.clear();
        (self.check, self.is_finished) = (check, true);
        Some(written)
    }

    /// Compresses a raw stream that is whole, by who is to; how long it is.
    fn pack_whole(&mut self, level: i32, input: &[u8], room: &mut [u8]) -> Option<usize> {
        let who = ask(Kind::Whole, level, self.window, input);
        if matches!(who, Who::There(_)) && room.len() < part_bound(input.len()) {
            // An accelerator wants room for the worst. Gathered, the stream has that.
            return None;
        }
        match who.run(input, room) {
            Ok(len) => {
                self.is_by_device = true;
                Some(len)
            }
            Err(run) => {
                let done =
                    |coders: &mut Coders| policy::compress_one_shot(coders, self.window, level, input, room);
                let len = CODERS.with(Coders::new, done)??;
                run.into_iter().for_each(|run| run.complete(len));
                Some(len)
            }
        }
    }

    /// Packs bits that the caller gives, before what was gathered: of that, no block was begun.
    pub fn prime(&mut self, bits: (u32, u32)) -> Result<(), NoMemory> {
        self.join()?;
        self.make_room(MARKS)?;
        self.marked = Z_NO_FLUSH;
        self.write(bits)
    }

    /// Packs what a flush leaves in the stream.
    pub fn mark(&mut self, flush: i32) -> Result<(), NoMemory> {
        self.make_room(MARKS)?;
        match flush {
            Z_PARTIAL_FLUSH => self.write(EMPTY_FIXED)?,
            Z_SYNC_FLUSH | Z_FULL_FLUSH => {
                let mut room = [0; 16];
                let mut to = BitWriter::resume(&mut room, self.pending);
                let fits = to.close_byte();
                assert!(fits.is_some(), "five bytes and a bit fit into 16");
                let (bytes, pending) = to.pause();
                self.packed.extend_from_slice(&room[..bytes])?;
                self.pending = pending;
                if flush == Z_FULL_FLUSH {
                    self.plain.clear();
                    self.start = 0;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Appends up to 16 bits to what is packed.
    fn write(&mut self, (bits, count): (u32, u32)) -> Result<(), NoMemory> {
        let mut room = [0; 16];
        let mut to = BitWriter::resume(&mut room, self.pending);
        let fits = to.write(bits, count);
        assert!(fits.is_some(), "16 bits and those before fit into 16 bytes");
        let (bytes, pending) = to.pause();
        self.packed.extend_from_slice(&room[..bytes])?;
        self.pending = pending;
        Ok(())
    }

    /// Fills the last byte up with zeros.
    fn align(&mut self) -> Result<(), NoMemory> {
        let rest = (8 - u32::from(self.pending.count())) % 8;
        self.write((0, rest))
    }
}
