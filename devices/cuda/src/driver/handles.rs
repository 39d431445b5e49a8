//! Context, streams and events of the driver, released when dropped.
#![allow(unsafe_code)]

use std::sync::{Arc, Weak};

use cudarc::driver::result::{self, ctx, device, event, primary_ctx, stream};
use cudarc::driver::sys::{CUcontext, CUdevice, CUevent, CUevent_flags, CUevent_wait_flags, CUstream};
use parking_lot::Mutex;

use super::result::In;
use super::sys::{self, Extra};
use crate::{Error, Result};

/// The device's primary context, which other CUDA libraries in the process (nvCOMP) use too.
pub(crate) struct Context {
    device: CUdevice,
    context: CUcontext,
    pub(super) extra: &'static Extra,
    /// Every stream that is in use, for memory that is freed after all of them.
    streams: Mutex<Vec<Weak<dyn Fence>>>,
}

// SAFETY: handles of the driver, which may be used from any thread with the context current in it.
unsafe impl Send for Context {}
// SAFETY: as above; the driver has its own locks.
unsafe impl Sync for Context {}

impl Context {
    pub fn open(ordinal: usize) -> Result<Arc<Context>> {
        let extra = sys::load()?;
        result::init().in_call("cuInit")?;
        let count = device::get_count().in_call("cuDeviceGetCount")?.max(0) as usize;
        if ordinal >= count {
            return Err(Error::NoDevice {
                why: format!("device {ordinal} was asked for, and there are {count}"),
            });
        }
        let device = device::get(ordinal as i32).in_call("cuDeviceGet")?;
        // SAFETY: a device that the driver gave.
        let context = unsafe { primary_ctx::retain(device) }.in_call("cuDevicePrimaryCtxRetain")?;
        let context = Arc::new(Context { device, context, extra, streams: Mutex::default() });
        context.bind()?;
        Ok(context)
    }

    pub fn device(&self) -> CUdevice {
        self.device
    }

    /// Makes the context current in the calling thread, as every use of the driver needs.
    pub fn bind(&self) -> Result<()> {
        // SAFETY: retained until `self` is dropped.
        unsafe { ctx::set_current(self.context) }.in_call("cuCtxSetCurrent")
    }

    pub(super) fn register(&self, stream: Weak<dyn Fence>) {
        let mut streams = self.streams.lock();
        streams.retain(|stream| stream.strong_count() > 0);
        streams.push(stream);
    }

    /// Lets the work that is queued on `after` from now on begin after all work queued on any
    /// stream so far.
    pub(super) fn wait_for_all(&self, after: &RawStream) -> Result<()> {
        let streams = self.streams.lock();
        for stream in streams.iter().filter_map(Weak::upgrade) {
            stream.fence(after)?;
        }
        Ok(())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained in `open`, and released once. Nothing can be done about an error.
        let _ = unsafe { primary_ctx::release(self.device) };
    }
}

/// A stream that other streams can wait for.
pub(super) trait Fence: Send + Sync {
    /// Lets the work that is queued on `after` from now on begin after the work queued here so far.
    fn fence(&self, after: &RawStream) -> Result<()>;
}

/// A stream of the driver, destroyed when dropped.
pub(super) struct RawStream {
    pub handle: CUstream,
    pub context: Arc<Context>,
}

// SAFETY: as for `Context`.
unsafe impl Send for RawStream {}
// SAFETY: as for `Context`.
unsafe impl Sync for RawStream {}

impl RawStream {
    pub fn new(context: &Arc<Context>) -> Result<RawStream> {
        context.bind()?;
        let handle = stream::create(stream::StreamKind::NonBlocking).in_call("cuStreamCreate")?;
        Ok(RawStream { handle, context: context.clone() })
    }

    /// Waits for the queued work.
    pub fn synchronize(&self) -> Result<()> {
        self.context.bind()?;
        // SAFETY: alive.
        unsafe { stream::synchronize(self.handle) }.in_call("cuStreamSynchronize")
    }

    /// Lets the work that is queued from now on begin after the event.
    pub fn wait(&self, event: &RawEvent) -> Result<()> {
        self.context.bind()?;
        let flags = CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: both alive; the driver reads the event's state at this call.
        unsafe { stream::wait_event(self.handle, event.handle, flags) }.in_call("cuStreamWaitEvent")
    }
}

impl Drop for RawStream {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            // SAFETY: created in `new`, destroyed once; the driver lets queued work end.
            let _ = unsafe { stream::destroy(self.handle) };
        }
    }
}

/// An event of the driver, destroyed when dropped.
pub(super) struct RawEvent {
    handle: CUevent,
    context: Arc<Context>,
}

// SAFETY: as for `Context`.
unsafe impl Send for RawEvent {}
// SAFETY: as for `Context`.
unsafe impl Sync for RawEvent {}

impl RawEvent {
    /// Makes an event that orders work.
    pub fn new(context: &Arc<Context>) -> Result<RawEvent> {
        RawEvent::with(context, CUevent_flags::CU_EVENT_DISABLE_TIMING)
    }

    /// Makes an event that also records its time.
    pub fn timed(context: &Arc<Context>) -> Result<RawEvent> {
        RawEvent::with(context, CUevent_flags::CU_EVENT_DEFAULT)
    }

    fn with(context: &Arc<Context>, flags: CUevent_flags) -> Result<RawEvent> {
        context.bind()?;
        let handle = event::create(flags).in_call("cuEventCreate")?;
        Ok(RawEvent { handle, context: context.clone() })
    }

    /// Makes the event stand for the work queued on the stream so far.
    pub fn record(&self, stream: &RawStream) -> Result<()> {
        self.context.bind()?;
        // SAFETY: both alive and of one context.
        unsafe { event::record(self.handle, stream.handle) }.in_call("cuEventRecord")
    }

    /// Returns whether it has happened. An error counts as that: nothing runs any more.
    pub fn is_done(&self) -> bool {
        use cudarc::driver::sys::CUresult::CUDA_ERROR_NOT_READY;
        // SAFETY: alive.
        self.context.bind().is_err()
            || unsafe { event::query(self.handle) }
                .map_or_else(|error| error.0 != CUDA_ERROR_NOT_READY, |()| true)
    }

    pub fn synchronize(&self) -> Result<()> {
        self.context.bind()?;
        // SAFETY: alive.
        unsafe { event::synchronize(self.handle) }.in_call("cuEventSynchronize")
    }

    /// Returns the milliseconds since another event. Both were made with `timed`, and have
    /// happened.
    pub fn milliseconds_since(&self, earlier: &RawEvent) -> Result<f32> {
        self.context.bind()?;
        let mut milliseconds = 0.0;
        // SAFETY: both alive; a number is written.
        let result =
            unsafe { (self.context.extra.elapsed_time)(&mut milliseconds, earlier.handle, self.handle) };
        result.result().in_call("cuEventElapsedTime")?;
        Ok(milliseconds)
    }
}

impl Drop for RawEvent {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            // SAFETY: created in `with`, destroyed once; the driver keeps it until it has happened.
            let _ = unsafe { event::destroy(self.handle) };
        }
    }
}
