//! Work beyond what a router's jobs ask for, on the calling thread.

use std::time::{Duration, Instant};

use pelton_codec::{Checksum, Container, Format};
use pelton_job::Operation;

use super::{IaaDevice, LEVELS};
use crate::error::IaaError;
use crate::operations::{
    Coding, Compress, Filter, Filtered, Filtering, Indexing, MiniBlockSize, MiniBlocks, Noop, Output,
    Reading, Tables, Work,
};
use crate::queue::{Borrowed, Flight};
use crate::seeds::seed;

/// What operations cost that jobs don't have: as much as one that reads its input once.
const CHECKSUM: Operation = Operation::Checksum { kind: Checksum::Crc64 };

impl IaaDevice {
    /// The time that so many descriptors take that ask for nothing, some of them in flight at once:
    /// the way there and back.
    ///
    /// # Errors
    /// One of them failed.
    pub fn round_trips(&self, count: usize, in_flight: usize) -> Result<Duration, IaaError> {
        let queue = self.opened.here().ok_or(IaaError::ForeignProcess)?;
        let started = Instant::now();
        let flight = || {
            let buffers = Borrowed { input: &[], second: &[], output: &mut [] };
            Flight::new(buffers, Work::Noop(Noop), self.common.options.time_limit, Duration::ZERO)
        };
        queue.fly_many((0..count).map(|_| flight()), in_flight)?;
        Ok(started.elapsed())
    }

    /// Runs a filter operation. `second` is the second input of those operations that have one,
    /// else empty.
    ///
    /// # Errors
    /// The operation can't be said in a descriptor, the data is bad, or the device failed: see
    /// [`IaaError::advice`].
    pub fn filter(
        &self,
        filter: &Filter,
        input: &[u8],
        second: &[u8],
        output: &mut [u8],
    ) -> Result<Filtered, IaaError> {
        let work = Work::Filter(Filtering::new(*filter, second.len()));
        let made = self.fly(Borrowed { input, second, output }, work, input.len())?;
        Filtered::of(&made).ok_or(IaaError::Lied("no record"))
    }

    /// Compresses into one block with codes that were made before, in one pass. What the codes have
    /// no word for is an error.
    ///
    /// # Errors
    /// As of [`filter`](IaaDevice::filter). The format has to be one of DEFLATE's.
    pub fn compress_with(
        &self,
        tables: &Tables,
        format: Format,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, IaaError> {
        let container =
            Container::of(format).ok_or(IaaError::Invalid("the device compresses DEFLATE only"))?;
        let codes = Coding::Canned(Box::new(tables.clone()));
        let work = Compress::new(container, *LEVELS.start(), codes, self.common.terms);
        let bytes = input.len();
        Ok(self.fly(Borrowed { input, second: &[], output }, Work::Compress(Box::new(work)), bytes)?.produced)
    }

    /// Compresses into a raw stream of one block whose mini-blocks can be
    /// [read](IaaDevice::read_mini_block) alone, and returns its length and where they are. The
    /// input has to fit in one transfer.
    ///
    /// # Errors
    /// As of [`filter`](IaaDevice::filter).
    pub fn compress_indexed(
        &self,
        size: MiniBlockSize,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(usize, MiniBlocks), IaaError> {
        if input.is_empty() || input.len() > self.common.terms.transfer {
            return Err(IaaError::Invalid(
                "an input with an index has to fit in one transfer, and to have a byte",
            ));
        }
        let container = Container::of(Format::Deflate).ok_or(IaaError::Invalid("no raw streams"))?;
        let work = Compress::new(container, *LEVELS.end(), Coding::Dynamic, self.common.terms).within(size);
        let bytes = input.len();
        let made =
            self.fly(Borrowed { input, second: &[], output }, Work::Compress(Box::new(work)), bytes)?;
        // Stored blocks, which is what data that does not shrink becomes, are written without the
        // device.
        if made.record.is_none() {
            return Err(IaaError::Unsuited("data that does not shrink has no mini-blocks"));
        }
        let mut index = vec![0; MiniBlocks::room(size, bytes)];
        let packed = Borrowed { input: &output[..made.produced], second: &[], output: &mut index };
        let indexed = self.fly(packed, Work::Index(Indexing { size }), bytes)?;
        Ok((made.produced, MiniBlocks::of(size, bytes, &index[..indexed.produced])?))
    }

    /// Decompresses one mini-block of a stream that was [compressed](IaaDevice::compress_indexed)
    /// with this index, and returns how many bytes it has.
    ///
    /// # Errors
    /// As of [`filter`](IaaDevice::filter); also if the index has no such mini-block, or is another
    /// stream's.
    pub fn read_mini_block(
        &self,
        packed: &[u8],
        index: &MiniBlocks,
        number: usize,
        output: &mut [u8],
    ) -> Result<usize, IaaError> {
        let work = Reading::new(index, number).ok_or(IaaError::Invalid("there is no such mini-block"))?;
        let buffers = Borrowed { input: packed, second: &[], output };
        Ok(self.fly(buffers, Work::Read(work), index.bytes(number))?.produced)
    }

    fn fly(&self, buffers: Borrowed<'_>, work: Work, bytes: usize) -> Result<Output, IaaError> {
        let queue = self.opened.here().ok_or(IaaError::ForeignProcess)?;
        let expected = seed(CHECKSUM).time(bytes);
        let flight = Flight::new(buffers, work, self.common.options.time_limit, expected);
        queue.fly(flight, (self.common.options.node)())
    }
}
