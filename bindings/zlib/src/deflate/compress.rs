//! Compression of the gathered input, and the markers of flushes.

use libz_rs_sys::{Z_DEFAULT_STRATEGY, Z_FIXED, Z_FULL_FLUSH, Z_NO_FLUSH, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH};
use pelton_codec::{BitWriter, Error, PendingBits, part_bound};

use super::block_encoder::{BlockStream, MARKER_CAPACITY, is_noise};
use super::block_trial::BlockTrials;
use super::encoders::{ENCODERS, Encoders};
use super::fallback::{self, FALLBACK, FallbackMemory, FallbackParameters};
use super::policy;
use crate::buffer::NoMemory;
use crate::offload::{Assignment, InlineRun, JobKind, assign};
use crate::stats::{self, Reason};

/// An empty block with the fixed code: its bits and their number.
const EMPTY_FIXED: (u32, u32) = (0b010, 10);
/// The same as the last block.
const LAST_EMPTY: (u32, u32) = (0b011, 10);

/// Outcome of asking for a device.
enum Routed {
    /// An accelerator has compressed the block; if it was the last, the trailer is written too.
    Device,
    /// The caller compresses the block, and completes the inline run if there is one.
    Caller(Option<InlineRun>),
}

impl BlockStream {
    /// Compresses the gathered input at a level of zlib's.
    pub fn compress(&mut self, level: i32, is_last: bool) -> Result<(), NoMemory> {
        self.join_all()?;
        if self.gathered().is_empty() && !is_last {
            return Ok(());
        }
        let len = self.gathered().len();
        self.make_room(part_bound(len) + MARKER_CAPACITY)?;
        let run = match self.route(level, is_last)? {
            Routed::Device => return Ok(()),
            Routed::Caller(run) => run,
        };
        let before = self.compressed.len();
        let done = ENCODERS.with(Encoders::new, |encoders| self.compress_on_cpu(encoders, level, is_last));
        done.ok_or(NoMemory)??;
        run.into_iter().for_each(|run| run.complete(self.compressed.len() - before));
        Ok(())
    }

    /// Lets an accelerator compress the gathered input, if the router chooses one.
    fn route(&mut self, asked: i32, is_last: bool) -> Result<Routed, NoMemory> {
        if self.strategy != Z_DEFAULT_STRATEGY {
            return Ok(Routed::Caller(None));
        }
        let is_one_shot = is_last && self.start == 0 && self.pending == PendingBits::default();
        let kind = if is_one_shot { JobKind::Stream } else { JobKind::Part };
        let device_job = match assign(kind, asked, self.window, self.gathered()) {
            Assignment::Device(device_job) => device_job,
            Assignment::Caller(run) => return Ok(Routed::Caller(run)),
        };
        if self.pending != PendingBits::default() {
            self.mark(Z_SYNC_FLUSH)?;
        }
        let before = self.compressed.len();
        self.compressed.resize(before + part_bound(self.gathered().len()))?;
        let len = match device_job.run(&self.uncompressed[self.start..], &mut self.compressed[before..]) {
            Ok(len) => len,
            Err(run) => {
                self.compressed.truncate(before);
                return Ok(Routed::Caller(run));
            }
        };
        self.compressed.truncate(before + len);
        self.is_by_device = true;
        if is_last && kind == JobKind::Part {
            self.write(LAST_EMPTY)?;
        }
        self.end(is_last)?;
        Ok(Routed::Device)
    }

    /// Compresses the gathered input with these encoders. Its bound is reserved for the output.
    fn compress_on_cpu(
        &mut self,
        encoders: &mut Encoders,
        asked: i32,
        is_last: bool,
    ) -> Result<(), NoMemory> {
        let before = self.compressed.len();
        if is_last
            && self.start == 0
            && self.strategy == Z_DEFAULT_STRATEGY
            && self.pending == PendingBits::default()
        {
            self.compressed.resize(before + part_bound(self.uncompressed.len()))?;
            let len = policy::compress_one_shot(
                encoders,
                self.window,
                asked,
                &self.uncompressed,
                &mut self.compressed[before..],
                None,
            );
            self.compressed.truncate(before + len.unwrap_or(0));
            if len.is_some() {
                return self.end(is_last);
            }
        }
        let len = self.gathered().len();
        let level = self.level(encoders, asked);
        let reason = match level {
            _ if self.strategy != Z_DEFAULT_STRATEGY => Some(Reason::Strategy),
            FALLBACK => Some(Reason::NoInstructions),
            _ => None,
        };
        if let Some(reason) = reason
            && self.compress_with_fallback(&mut encoders.fallback, asked, reason, is_last)?
        {
            return self.end(is_last);
        }
        let before = self.compressed.len();
        self.compressed.resize(before + part_bound(len))?;
        // Noise hardly repeats its history.
        let wanted = if self.is_early() { self.min_history } else { self.min_history.max(4 * len) };
        let history = self.start.min(wanted);
        let uncompressed = &self.uncompressed[self.start - history..];
        encoders.blocks.set_window(self.window);
        let mut to = BitWriter::resume(&mut self.compressed[before..], self.pending);
        let level = match level {
            // In fixed codes a literal may take nine bits, and no other codes are asked for.
            _ if self.strategy == Z_FIXED => 0,
            FALLBACK => policy::MAX_LEVEL,
            level => level,
        };
        let done = encoders.blocks.deflate_after(uncompressed, history, level, is_last, &mut to);
        if let Err(error) = done {
            assert!(
                matches!(error, Error::OutOfMemory { .. }),
                "a piece of {len} bytes fits into the bound for it"
            );
            self.compressed.truncate(before);
            return Err(NoMemory);
        }
        let (bytes, pending) = to.pause();
        self.compressed.truncate(before + bytes);
        self.pending = pending;
        self.choice.record(len, bytes);
        self.end(is_last)
    }

    /// Returns our level for the gathered input. With a strategy there is no trial, as zlib-rs
    /// compresses the block.
    pub(super) fn level(&mut self, encoders: &mut Encoders, asked: i32) -> i32 {
        match self.strategy {
            Z_DEFAULT_STRATEGY => {
                let gathered = &self.uncompressed[self.start..];
                match self.choice.level(encoders, asked, self.window, gathered) {
                    // Others take longer for noise, and noise that ends a block has no trial.
                    level if level > policy::MAX_LEVEL && self.is_early() && is_noise(encoders, gathered) => {
                        policy::default_level(asked)
                    }
                    level => level,
                }
            }
            _ => policy::default_level(asked),
        }
    }

    /// Finishes a block.
    fn end(&mut self, is_last: bool) -> Result<(), NoMemory> {
        self.keep_window();
        if is_last { self.finish() } else { Ok(()) }
    }

    /// Compresses the gathered input with zlib-rs. Returns whether it succeeded.
    fn compress_with_fallback(
        &mut self,
        memory: &mut FallbackMemory,
        level: i32,
        reason: Reason,
        is_last: bool,
    ) -> Result<bool, NoMemory> {
        if self.pending != PendingBits::default() {
            self.mark(Z_SYNC_FLUSH)?;
        }
        let parameters = FallbackParameters { level, strategy: self.strategy, window: self.window };
        stats::delegated(reason);
        let before = self.compressed.len();
        self.compressed.resize(before + part_bound(self.gathered().len()))?;
        let compressed = fallback::compress(
            memory,
            &self.uncompressed,
            self.start,
            parameters,
            is_last,
            &mut self.compressed[before..],
        );
        self.compressed.truncate(before + compressed.unwrap_or(0));
        if let Some(compressed) = compressed {
            self.choice.record(self.gathered().len(), compressed);
        }
        Ok(compressed.is_some())
    }

    /// Writes the end of the stream after its last block.
    fn finish(&mut self) -> Result<(), NoMemory> {
        self.align()?;
        let mut trailer = [0; 8];
        let trailer = self.wrap.trailer(self.check, self.len, &mut trailer);
        self.compressed.extend_from_slice(trailer)?;
        self.is_finished = true;
        Ok(())
    }

    /// Compresses a stream in one call, from header to trailer, to `output`. `None`, with no
    /// change, if the output is too small or the stream has to be compressed in blocks.
    pub fn compress_one_shot(
        &mut self,
        level: i32,
        input: &[u8],
        output: &mut [u8],
        trials: &mut BlockTrials,
    ) -> Option<usize> {
        let header = self.compressed.len();
        let len = self.compress_raw(level, input, output.get_mut(header..)?, trials)?;
        let check = self.checked(input);
        let mut trailer = [0; 8];
        let trailer = self.wrap.trailer(check, input.len() as u64, &mut trailer);
        output.get_mut(header + len..)?.get_mut(..trailer.len())?.copy_from_slice(trailer);
        output[..header].copy_from_slice(&self.compressed);
        let written = header + len + trailer.len();
        self.compressed.clear();
        (self.check, self.is_finished) = (check, true);
        Some(written)
    }

    /// Compresses raw one-shot input on the device that the router chooses. Returns the size.
    fn compress_raw(
        &mut self,
        level: i32,
        input: &[u8],
        output: &mut [u8],
        trials: &mut BlockTrials,
    ) -> Option<usize> {
        let assignment = assign(JobKind::Stream, level, self.window, input);
        if matches!(assignment, Assignment::Device(_)) && output.len() < part_bound(input.len()) {
            // An accelerator needs output for the worst case. Gathering the input provides that.
            return None;
        }
        match assignment.run(input, output) {
            Ok(len) => {
                self.is_by_device = true;
                Some(len)
            }
            Err(run) => {
                let done = |encoders: &mut Encoders| {
                    encoders.compress_exactly(output, part_bound(input.len()), |encoders, output| {
                        policy::compress_one_shot(encoders, self.window, level, input, output, Some(trials))
                    })
                };
                let len = ENCODERS.with(Encoders::new, done)??;
                run.into_iter().for_each(|run| run.complete(len));
                Some(len)
            }
        }
    }

    /// Writes the caller's bits before the gathered input. No block has begun there. In memory of
    /// the caller's there may be no room behind output that waits, as in zlib.
    pub fn prime(&mut self, bits: (u32, u32)) -> Result<(), NoMemory> {
        self.join_all()?;
        let is_full = self.compressed.len() + MARKER_CAPACITY > self.compressed.capacity();
        if is_full && self.block != policy::BLOCK && self.compressed.capacity() > 0 {
            return Err(NoMemory);
        }
        self.make_room(MARKER_CAPACITY)?;
        self.marked = Z_NO_FLUSH;
        self.write(bits)
    }

    /// Writes the marker of a flush.
    pub fn mark(&mut self, flush: i32) -> Result<(), NoMemory> {
        self.make_room(MARKER_CAPACITY)?;
        match flush {
            Z_PARTIAL_FLUSH => self.write(EMPTY_FIXED)?,
            Z_SYNC_FLUSH | Z_FULL_FLUSH => {
                let mut output = [0; 16];
                let mut to = BitWriter::resume(&mut output, self.pending);
                let fits = to.close_byte();
                assert!(fits.is_some(), "five bytes and a bit fit into 16");
                let (bytes, pending) = to.pause();
                self.compressed.extend_from_slice(&output[..bytes])?;
                self.pending = pending;
                if flush == Z_FULL_FLUSH {
                    self.uncompressed.clear();
                    self.start = 0;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Appends up to 16 bits.
    fn write(&mut self, (bits, count): (u32, u32)) -> Result<(), NoMemory> {
        let mut output = [0; 16];
        let mut to = BitWriter::resume(&mut output, self.pending);
        let fits = to.write(bits, count);
        assert!(fits.is_some(), "16 bits and those before fit into 16 bytes");
        let (bytes, pending) = to.pause();
        self.compressed.extend_from_slice(&output[..bytes])?;
        self.pending = pending;
        Ok(())
    }

    /// Fills the last byte with zeros.
    fn align(&mut self) -> Result<(), NoMemory> {
        let rest = (8 - u32::from(self.pending.count())) % 8;
        self.write((0, rest))
    }
}
