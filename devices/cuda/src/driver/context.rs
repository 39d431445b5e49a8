//! A device's context: what all that is on the device belongs to.
#![allow(unsafe_code)]

use std::sync::{Arc, Weak};

use cudarc::driver::result::{self, ctx, device, primary_ctx};
use cudarc::driver::sys::{CUcontext, CUdevice};
use parking_lot::Mutex;

use super::handles::RawStream;
use super::result::In;
use super::stream::Lane;
use super::sys::{self, Extra};
use crate::{Error, Result};

/// The device's primary context, which other CUDA libraries in the process (nvCOMP) use too.
pub(crate) struct Context {
    device: CUdevice,
    context: CUcontext,
    pub(super) extra: &'static Extra,
    /// Every stream that is in use, for memory that is freed after all of them.
    lanes: Mutex<Vec<Weak<Lane>>>,
}

// SAFETY: handles of the driver, which may be used from any thread with the context current in it.
unsafe impl Send for Context {}
// SAFETY: as above; the driver locks what it must.
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
        let context = Arc::new(Context { device, context, extra, lanes: Mutex::default() });
        context.bind()?;
        Ok(context)
    }

    pub fn device(&self) -> CUdevice {
        self.device
    }

    /// Makes the context the calling thread's. Every use of the driver begins so.
    pub fn bind(&self) -> Result<()> {
        // SAFETY: retained until `self` is dropped.
        unsafe { ctx::set_current(self.context) }.in_call("cuCtxSetCurrent")
    }

    pub fn register(&self, lane: &Arc<Lane>) {
        let mut lanes = self.lanes.lock();
        lanes.retain(|lane| lane.strong_count() > 0);
        lanes.push(Arc::downgrade(lane));
    }

    /// What is queued on `after` from now on begins after all that is queued on any stream so far.
    pub(super) fn wait_for_all(&self, after: &RawStream) -> Result<()> {
        let lanes = self.lanes.lock();
        for lane in lanes.iter().filter_map(Weak::upgrade) {
            lane.fence(after)?;
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
