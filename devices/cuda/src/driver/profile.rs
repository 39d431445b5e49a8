//! When work ran on a device, by events before and after it.

use std::sync::Arc;
use std::time::Duration;

use super::context::Context;
use super::handles::{RawEvent, RawStream};
use super::stream::CudaEvent;
use crate::Result;

/// The beginning of a profile in the device's time.
pub(crate) struct Clock {
    origin: RawEvent,
}

impl Clock {
    /// Now, when nothing is queued on a new stream.
    pub fn start(context: &Arc<Context>) -> Result<Clock> {
        let stream = RawStream::new(context)?;
        let origin = RawEvent::timed(context)?;
        origin.record(&stream)?;
        origin.synchronize()?;
        Ok(Clock { origin })
    }

    /// How long after the beginning an event happened, to half a microsecond. Waits for it.
    pub fn time(&self, event: &CudaEvent) -> Result<Duration> {
        event.0.synchronize()?;
        let milliseconds = event.0.milliseconds_since(&self.origin)?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1000.0).unwrap_or_default())
    }
}
