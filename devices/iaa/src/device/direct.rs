//! Work beyond what a router's jobs ask for, on the calling thread.

use std::time::{Duration, Instant};

use pelton_codec::{Checksum, Container, Format};
use pelton_job::Operation;

use super::prior_cost::prior_cost;
use super::{IaaDevice, LEVELS};
use crate::error::IaaError;
use crate::operations::{
    CannedTables, CodeChoice, Compress, DeviceOperation, Filter, Filtered, Filtering, Indexing,
    MiniBlockSize, MiniBlocks, Noop, Output, Reading,
};
use crate::queue::{Borrowed, InFlightOperation};

/// What operations cost that jobs don't have: as much as one that reads its input once.
const CHECKSUM: Operation = Operation::Checksum { kind: Checksum::Crc64 };

impl IaaDevice {
    /// The time that so many descriptors take that ask for nothing, some of them in in_flight at
    /// once: the way there and back.
    ///
    /// # Errors
    /// One of them failed.
    pub fn round_trips(&self, count: usize, in_flight: usize) -> Result<Duration, IaaError> {
        let queue = self.opened.here().ok_or(IaaError::ForeignProcess)?;
        let started = Instant::now();
        let operation = || {
            let buffers = Borrowed { input: &[], second: &[], output: &mut [] };
            InFlightOperation::new(
                buffers,
                DeviceOperation::Noop(Noop),
                self.common.options.time_limit,
                Duration::ZERO,
            )
        };
        queue.run_many((0..count).map(|_| operation()), in_flight)?;
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
        let work = DeviceOperation::Filter(Filtering::new(*filter, second.len()));
        let made = self.run(Borrowed { input, second, output }, work, input.len())?;
        Filtered::of(&made).ok_or(IaaError::Inconsistent("no record"))
    }

    /// Compresses into one block with codes that were made before, in one pass. What the codes have
    /// no word for is an error.
    ///
    /// # Errors
    /// As of [`filter`](IaaDevice::filter). The format has to be one of DEFLATE's.
    pub fn compress_with(
        &self,
        tables: &CannedTables,
        format: Format,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, IaaError> {
        let container =
            Container::of(format).ok_or(IaaError::Invalid("the device compresses DEFLATE only"))?;
        let codes = CodeChoice::Canned(Box::new(tables.clone()));
        let work = Compress::new(container, *LEVELS.start(), codes, self.common.limits);
        let bytes = input.len();
        Ok(self
            .run(Borrowed { input, second: &[], output }, DeviceOperation::Compress(Box::new(work)), bytes)?
            .produced)
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
        if input.is_empty() || input.len() > self.common.limits.transfer {
            return Err(IaaError::Invalid(
                "an input with an index has to fit in one transfer, and to have a byte",
            ));
        }
        let container = Container::of(Format::Deflate).ok_or(IaaError::Invalid("no raw streams"))?;
        let work =
            Compress::new(container, *LEVELS.end(), CodeChoice::Dynamic, self.common.limits).within(size);
        let bytes = input.len();
        let made = self.run(
            Borrowed { input, second: &[], output },
            DeviceOperation::Compress(Box::new(work)),
            bytes,
        )?;
        // Stored blocks, which is what data that does not shrink becomes, are written without the
        // device.
        if made.record.is_none() {
            return Err(IaaError::Unsupported("data that does not shrink has no mini-blocks"));
        }
        let mut index = vec![0; MiniBlocks::room(size, bytes)];
        let packed = Borrowed { input: &output[..made.produced], second: &[], output: &mut index };
        let indexed = self.run(packed, DeviceOperation::Index(Indexing { size }), bytes)?;
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
        Ok(self.run(buffers, DeviceOperation::Read(work), index.bytes(number))?.produced)
    }

    fn run(&self, buffers: Borrowed<'_>, work: DeviceOperation, bytes: usize) -> Result<Output, IaaError> {
        let queue = self.opened.here().ok_or(IaaError::ForeignProcess)?;
        let expected = prior_cost(CHECKSUM).time(bytes);
        let in_flight = InFlightOperation::new(buffers, work, self.common.options.time_limit, expected);
        queue.run(in_flight, (self.common.options.node)())
    }
}
