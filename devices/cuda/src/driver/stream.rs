//! Streams of a device: copies and launches, and the memory that they need until they are done.
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use cudarc::driver::result;
use cudarc::driver::sys::CUdeviceptr;
use parking_lot::Mutex;

use super::handles::{Context, Fence, RawEvent, RawStream};
use super::memory::DeviceMemory;
use super::module::CudaKernel;
use super::result::In;
use crate::Result;

/// A stream, with the memory that its queued work reads.
pub(crate) struct CudaStream {
    raw: RawStream,
    /// Recorded whenever memory is freed.
    fence: RawEvent,
    /// Host memory that queued copies read, with the event after them.
    reading: Mutex<VecDeque<(RawEvent, Vec<Bytes>)>>,
}

impl CudaStream {
    pub fn new(context: &Arc<Context>) -> Result<Arc<CudaStream>> {
        let stream = Arc::new(CudaStream {
            raw: RawStream::new(context)?,
            fence: RawEvent::new(context)?,
            reading: Mutex::default(),
        });
        let weak = Arc::downgrade(&stream);
        context.register(weak);
        Ok(stream)
    }

    /// Returns the driver's handle, for libraries that queue work of their own.
    pub fn handle(&self) -> *mut c_void {
        self.raw.handle.cast()
    }

    /// Copies pieces of host memory to the device. The ranges were checked.
    pub fn upload(&self, copies: Vec<(&DeviceMemory, usize, Bytes)>) -> Result<()> {
        self.raw.context.bind()?;
        let copies: Vec<_> = copies
            .into_iter()
            .filter(|(_, _, data)| !data.is_empty())
            .map(|(to, offset, data)| (to.address() + offset as u64, data))
            .collect();
        if copies.is_empty() {
            return Ok(());
        }
        let queued = self.queue_copies(&copies);
        // even if a copy failed, the ones before it are under way
        let data = copies.into_iter().map(|(_, data)| data).collect();
        let kept = self.keep_reading(data);
        queued.and(kept)
    }

    /// Queues a copy for each piece. `cuMemcpyBatchAsync` is not used: with driver 580.159 a batch
    /// of hundreds of pieces in memory that is not pinned ended in CUDA_ERROR_LAUNCH_FAILED, and
    /// others saw hangs.
    fn queue_copies(&self, copies: &[(CUdeviceptr, Bytes)]) -> Result<()> {
        for (to, data) in copies {
            // SAFETY: `keep_reading` holds the host's bytes. The device's range is inside its
            // buffer, and the buffer's memory is freed after this stream's work.
            unsafe { result::memcpy_htod_async(*to, data, self.raw.handle) }.in_call("cuMemcpyHtoDAsync")?;
        }
        Ok(())
    }

    /// Holds host memory until the work queued so far is done, and drops the memory of finished
    /// work.
    fn keep_reading(&self, data: Vec<Bytes>) -> Result<()> {
        let marked =
            RawEvent::new(&self.raw.context).and_then(|event| event.record(&self.raw).map(|()| event));
        let mut reading = self.reading.lock();
        while reading.front().is_some_and(|(event, _)| event.is_done()) {
            reading.pop_front();
        }
        match marked {
            Ok(event) => {
                reading.push_back((event, data));
                Ok(())
            }
            Err(error) => {
                // without a mark it can only wait; if that fails too, nothing runs any more
                drop(reading);
                let _ = self.raw.synchronize();
                Err(error)
            }
        }
    }

    pub fn copy(&self, to: CUdeviceptr, from: CUdeviceptr, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.raw.context.bind()?;
        // SAFETY: ranges inside buffers, which are freed after this stream's work.
        unsafe { result::memcpy_dtod_async(to, from, bytes, self.raw.handle) }.in_call("cuMemcpyDtoDAsync")
    }

    /// Copies to host memory. Waits.
    pub fn download(&self, from: &DeviceMemory, offset: usize, to: &mut [u8]) -> Result<()> {
        if to.is_empty() {
            return self.synchronize();
        }
        self.raw.context.bind()?;
        let address = from.address() + offset as u64;
        // SAFETY: the caller has checked that the range is inside the buffer; `to` is borrowed
        // until the stream was waited for.
        let queued =
            unsafe { result::memcpy_dtoh_async(to, address, self.raw.handle) }.in_call("cuMemcpyDtoHAsync");
        // the queued copy must end before `to` may go
        let done = self.synchronize();
        queued.and(done)
    }

    pub fn fill(&self, memory: &DeviceMemory, range: Range<usize>, byte: u8) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        self.raw.context.bind()?;
        let address = memory.address() + range.start as u64;
        // SAFETY: the range is inside the buffer.
        unsafe { result::memset_d8_async(address, byte, range.len(), self.raw.handle) }
            .in_call("cuMemsetD8Async")
    }

    /// Queues a kernel. Sizes were checked.
    ///
    /// # Safety
    /// As for [`crate::Stream::launch`].
    pub unsafe fn launch(&self, kernel: &CudaKernel, blocks: u32, threads: u32, params: &[u8]) -> Result<()> {
        self.raw.context.bind()?;
        // The driver copies the kernel's struct before the call returns, and never more than there
        // is.
        let mut copy = Parameters([0; MAX_PARAMETERS]);
        copy.0[..params.len()].copy_from_slice(params);
        let mut parameters = [std::ptr::from_mut(&mut copy).cast()];
        // SAFETY: the caller's promise; the kernel's module is loaded as long as the kernel is
        // there.
        unsafe {
            result::launch_kernel(
                kernel.function(),
                (blocks, 1, 1),
                (threads, 1, 1),
                0,
                self.raw.handle,
                &mut parameters,
            )
        }
        .in_call("cuLaunchKernel")
    }

    pub fn record(&self) -> Result<Arc<CudaEvent>> {
        let event = RawEvent::new(&self.raw.context)?;
        event.record(&self.raw)?;
        Ok(Arc::new(CudaEvent(event)))
    }

    /// Returns a point in time of the stream, for the profile.
    pub fn mark(&self) -> Result<CudaEvent> {
        let event = RawEvent::timed(&self.raw.context)?;
        event.record(&self.raw)?;
        Ok(CudaEvent(event))
    }

    pub fn wait(&self, event: &CudaEvent) -> Result<()> {
        self.raw.wait(&event.0)
    }

    pub fn synchronize(&self) -> Result<()> {
        self.raw.synchronize()?;
        let mut reading = self.reading.lock();
        // Another thread may have queued more.
        while reading.front().is_some_and(|(event, _)| event.is_done()) {
            reading.pop_front();
        }
        Ok(())
    }
}

impl Fence for CudaStream {
    fn fence(&self, after: &RawStream) -> Result<()> {
        self.fence.record(&self.raw)?;
        after.wait(&self.fence)
    }
}

impl Drop for CudaStream {
    fn drop(&mut self) {
        // Host memory that copies read goes with `self`; after an error nothing reads it any more.
        let _ = self.raw.synchronize();
    }
}

/// CUDA's own limit on a kernel's parameters, above ours.
const MAX_PARAMETERS: usize = 4096;

#[repr(align(16))]
struct Parameters([u8; MAX_PARAMETERS]);

/// A point in a stream.
pub(crate) struct CudaEvent(pub(super) RawEvent);

/// The beginning of a profile in the device's time.
pub(crate) struct Clock {
    origin: RawEvent,
}

impl Clock {
    /// Starts a profile at the present time, on a new stream without work.
    pub fn start(context: &Arc<Context>) -> Result<Clock> {
        let stream = RawStream::new(context)?;
        let origin = RawEvent::timed(context)?;
        origin.record(&stream)?;
        origin.synchronize()?;
        Ok(Clock { origin })
    }

    /// Returns the time from the beginning to an event, to half a microsecond. Waits for it.
    pub fn time(&self, event: &CudaEvent) -> Result<Duration> {
        event.0.synchronize()?;
        let milliseconds = event.0.milliseconds_since(&self.origin)?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1000.0).unwrap_or_default())
    }
}
