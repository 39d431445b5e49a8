//! Operations that no job has, on the calling thread.

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

/// Stands for the cost of operations that no job has: like a checksum, they read their input once.
const CHECKSUM: Operation = Operation::Checksum { kind: Checksum::Crc64 };

impl IaaDevice {
    /// Returns the time of `count` no-op descriptors, `in_flight` of them at once: the time of the
    /// round trips.
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

    /// Runs a filter operation. `second` is the second input, empty for operations without one.
    ///
    /// # Errors
    /// A descriptor cannot express the operation, the data is bad, or the device failed: see
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

    /// Compresses into one block with canned tables, in one pass. A symbol without a code is an
    /// error.
    ///
    /// # Errors
    /// As for [`filter`](IaaDevice::filter). The format has to be one of DEFLATE.
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

    /// Compresses into a raw stream of one block with mini-blocks that
    /// [`read_mini_block`](IaaDevice::read_mini_block) can decompress. Returns its length and its
    /// index. The input has to fit in one transfer.
    ///
    /// # Errors
    /// As for [`filter`](IaaDevice::filter).
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
        // Incompressible data is stored without the device.
        if made.record.is_none() {
            return Err(IaaError::Unsupported("data that does not shrink has no mini-blocks"));
        }
        let mut index = vec![0; MiniBlocks::index_len(size, bytes)];
        let compressed = Borrowed { input: &output[..made.produced], second: &[], output: &mut index };
        let indexed = self.run(compressed, DeviceOperation::Index(Indexing { size }), bytes)?;
        Ok((made.produced, MiniBlocks::of(size, bytes, &index[..indexed.produced])?))
    }

    /// Decompresses one mini-block of a stream from
    /// [`compress_indexed`](IaaDevice::compress_indexed), and returns its length.
    ///
    /// # Errors
    /// As for [`filter`](IaaDevice::filter); also if the index has no such mini-block, or belongs
    /// to another stream.
    pub fn read_mini_block(
        &self,
        compressed: &[u8],
        index: &MiniBlocks,
        number: usize,
        output: &mut [u8],
    ) -> Result<usize, IaaError> {
        let work = Reading::new(index, number).ok_or(IaaError::Invalid("there is no such mini-block"))?;
        let buffers = Borrowed { input: compressed, second: &[], output };
        Ok(self.run(buffers, DeviceOperation::Read(work), index.bytes(number))?.produced)
    }

    fn run(&self, buffers: Borrowed<'_>, work: DeviceOperation, bytes: usize) -> Result<Output, IaaError> {
        let queue = self.opened.here().ok_or(IaaError::ForeignProcess)?;
        let expected = prior_cost(CHECKSUM).time(bytes);
        let in_flight = InFlightOperation::new(buffers, work, self.common.options.time_limit, expected);
        queue.run(in_flight, (self.common.options.node)())
    }
}
