//! Streams and events of the driver, destroyed when dropped.
#![allow(unsafe_code)]

use std::sync::Arc;

use cudarc::driver::result::{event, stream};
use cudarc::driver::sys::{CUevent, CUevent_flags, CUevent_wait_flags, CUstream};

use super::context::Context;
use super::result::In;
use crate::Result;

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

    /// Waits for what is queued.
    pub fn synchronize(&self) -> Result<()> {
        self.context.bind()?;
        // SAFETY: alive.
        unsafe { stream::synchronize(self.handle) }.in_call("cuStreamSynchronize")
    }

    /// What is queued from now on begins after the event.
    pub fn wait(&self, event: &RawEvent) -> Result<()> {
        self.context.bind()?;
        let flags = CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: both alive; the driver remembers what the event stood for at this call.
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
    /// One that orders work.
    pub fn new(context: &Arc<Context>) -> Result<RawEvent> {
        RawEvent::with(context, CUevent_flags::CU_EVENT_DISABLE_TIMING)
    }

    /// One that also knows when it happened.
    pub fn timed(context: &Arc<Context>) -> Result<RawEvent> {
        RawEvent::with(context, CUevent_flags::CU_EVENT_DEFAULT)
    }

    fn with(context: &Arc<Context>, flags: CUevent_flags) -> Result<RawEvent> {
        context.bind()?;
        let handle = event::create(flags).in_call("cuEventCreate")?;
        Ok(RawEvent { handle, context: context.clone() })
    }

    /// Makes it stand for what is queued on the stream so far.
    pub fn record(&self, stream: &RawStream) -> Result<()> {
        self.context.bind()?;
        // SAFETY: both alive and of one context.
        unsafe { event::record(self.handle, stream.handle) }.in_call("cuEventRecord")
    }

    /// Whether it has happened. An error counts as that: nothing runs any more.
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

    /// Milliseconds since another event. Both were made to be timed, and have happened.
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
