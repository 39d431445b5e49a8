//! Writer of a compressed stream whose blocks the router compresses.
//!
//! A stream is a sequence of gzip members or Zstandard frames, each of one block of the text. Every
//! reader of the formats joins them. Several blocks are compressed at a time.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;

use bytes::Bytes;
use pelton_codec::{Format, Level};
use pelton_job::{Batch, Job, Router, Ticket};

use crate::write::compress::bare;

/// Bytes of text in a block. Smaller blocks lose matches between them, and larger ones leave
/// devices without work in short files.
const BLOCK_BYTES: usize = 1 << 20;

/// Blocks that are being compressed. More would hold memory without keeping more devices busy.
const BLOCKS_AHEAD: usize = 8;

/// Codec of a text file as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextCodec {
    /// gzip or Zstandard.
    pub format: Format,
    /// A level of that format.
    pub level: Level,
}

/// See the module.
pub(super) struct CompressedWriter<W> {
    to: W,
    codec: TextCodec,
    router: Arc<Router>,
    block: Vec<u8>,
    blocks: VecDeque<Ticket>,
    is_empty: bool,
}

impl<W: Write> CompressedWriter<W> {
    pub fn new(to: W, codec: TextCodec, router: &Arc<Router>) -> Self {
        Self { to, codec, router: router.clone(), block: Vec::new(), blocks: VecDeque::new(), is_empty: true }
    }

    /// Writes the remaining blocks, and returns the destination.
    ///
    /// # Errors
    /// A block can't be compressed, or the destination fails.
    pub fn finish(mut self) -> io::Result<W> {
        // an empty stream has one block too
        if !self.block.is_empty() || self.is_empty {
            self.submit()?;
        }
        while !self.blocks.is_empty() {
            self.write_block()?;
        }
        self.to.flush()?;
        Ok(self.to)
    }

    fn submit(&mut self) -> io::Result<()> {
        self.is_empty = false;
        let block = Bytes::from(std::mem::take(&mut self.block));
        let job = Job::compress(self.codec.format, self.codec.level, block);
        self.blocks.push_back(self.router.submit(Batch::from_iter([job])));
        match self.blocks.len() > BLOCKS_AHEAD {
            true => self.write_block(),
            false => Ok(()),
        }
    }

    fn write_block(&mut self) -> io::Result<()> {
        let Some(mut ticket) = self.blocks.pop_front() else { return Ok(()) };
        match ticket.wait_next() {
            Some(Ok(done)) => self.to.write_all(&bare(done.output, 0)),
            Some(Err(error)) => Err(io::Error::other(error.to_string())),
            None => Err(io::Error::other("the batch ended without this block")),
        }
    }
}

impl<W: Write> Write for CompressedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(BLOCK_BYTES - self.block.len());
        self.block.extend_from_slice(&bytes[..taken]);
        if self.block.len() == BLOCK_BYTES {
            self.submit()?;
        }
        Ok(taken)
    }

    /// Keeps the bytes of the last block: a block for each flush would compress badly.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
