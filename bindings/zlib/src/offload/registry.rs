//! Device registry of the process.
//!
//! A child of `fork` opens its own devices: it has a copy of its parent's memory, with locks in any
//! state, but neither threads nor queues.

use std::fmt::Write;
use std::process;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use pelton_device_model::{dfltcc, iaa, nx};
use pelton_job::{Batch, Device, JobResult, Router};

use super::caller::Caller;
use crate::pool::boxed;
use crate::process::{keeping_errno, stay_loaded, without_signals};
use crate::settings::{Devices, settings};
use crate::warn::warn;

/// The names of the models in lists of devices.
const IAA_MODEL: &str = "iaa-model";
const NX_MODEL: &str = "nx-model";
const DFLTCC_MODEL: &str = "dfltcc-model";

/// The open devices of a process.
pub struct Registry {
    process: u64,
    router: Arc<Router>,
    /// Whether the calling thread competes with the accelerators. Otherwise it is their fallback.
    pub has_cpu: bool,
    iaa_model: Option<iaa::Model>,
    nx_model: Option<nx::Model>,
    dfltcc_model: Option<dfltcc::Model>,
}

/// The registry, which is never freed, as threads may use it until the process ends.
static REGISTRY: AtomicPtr<Registry> = AtomicPtr::new(null_mut());
/// The last process that has begun to open its devices. Other calls don't wait, and use no device
/// meanwhile.
static OPENING: AtomicU64 = AtomicU64::new(0);
/// Number of forks between this process and the first that had devices. A process number alone is
/// ambiguous: the first process in a namespace has number 1, as its parent may.
static FORKS: AtomicU32 = AtomicU32::new(0);
/// Whether the handler of `fork` is registered.
static IS_REGISTERED: AtomicBool = AtomicBool::new(false);
/// Whether no device could be opened. Neither this process nor a child tries again.
static HAS_NO_DEVICE: AtomicBool = AtomicBool::new(false);

impl Registry {
    /// Calls the router with `errno` preserved, as devices make system calls.
    pub fn call<T>(&'static self, call: impl FnOnce(&'static Router) -> T) -> T {
        keeping_errno(|| call(&self.router))
    }

    /// Runs a batch, and returns the results of its jobs in order.
    pub fn submit(&'static self, batch: Batch) -> Vec<JobResult> {
        keeping_errno(|| self.router.submit(batch).wait())
    }
}

/// Returns whether accelerators are configured. Reproducible output excludes them.
#[inline]
fn is_wanted() -> bool {
    let settings = settings();
    !settings.devices.is_none() && settings.accelerate && !settings.reproducible
}

/// Returns whether the process has an accelerator.
pub fn has_device() -> bool {
    registry().is_some()
}

/// Returns the registry, if accelerators are configured and could be opened. The first call opens
/// them.
#[inline]
pub fn registry() -> Option<&'static Registry> {
    if is_wanted() && !HAS_NO_DEVICE.load(Ordering::Relaxed) { find() } else { None }
}

/// Returns a number that differs from those of the processes that this one was forked from.
fn this_process() -> u64 {
    u64::from(FORKS.load(Ordering::Relaxed)) << 32 | u64::from(process::id())
}

fn find() -> Option<&'static Registry> {
    let process = this_process();
    let before = OPENING.load(Ordering::Acquire);
    if before != process
        && OPENING.compare_exchange(before, process, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    {
        keeping_errno(|| open(process, before == 0));
    }
    // SAFETY: null, or never freed.
    let registry = unsafe { REGISTRY.load(Ordering::Acquire).as_ref() };
    registry.filter(|registry| registry.process == process)
}

/// Opens the configured devices. Only the first process warns of missing ones.
#[cold]
fn open(process: u64, is_first: bool) {
    stay_loaded();
    if !IS_REGISTERED.swap(true, Ordering::Relaxed) {
        // SAFETY: the function takes nothing, and is there as long as the library, which stays.
        unsafe { libc::pthread_atfork(None, None, Some(forked)) };
    }
    let (registry, warnings) = without_signals(|| build(process, settings().devices));
    if is_first {
        warnings.iter().for_each(|line| warn(line));
    }
    if registry.router.devices().count() == 1 {
        HAS_NO_DEVICE.store(true, Ordering::Relaxed);
    } else if let Some(registry) = boxed(registry) {
        REGISTRY.store(Box::into_raw(registry), Ordering::Release);
    }
}

/// Counts a fork, in the child.
extern "C" fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Opens the devices, with the calling thread as one, and returns a line for each missing one.
fn build(process: u64, wanted: Devices) -> (Registry, Vec<String>) {
    let mut router = Router::builder();
    let (mut iaa_model, mut nx_model) = (None, None);
    let mut warnings = Vec::new();
    let mut missing = |why: String| {
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
        warnings.push(format!("a device is not available: {why}"));
    };
    if let Some(windows) = wanted.iaa {
        match pelton_device_iaa::open(windows) {
            Ok(device) => router = router.device(device),
            Err(why) => missing(why),
        }
    }
    if let Some(setup) = wanted.iaa_model {
        match setup.open(IAA_MODEL) {
            Ok((device, opened)) => {
                router = router.device(device);
                opened.start();
                iaa_model = Some(opened);
            }
            Err(why) => missing(format!("{IAA_MODEL}: {why}")),
        }
    }
    if wanted.has_nx {
        match pelton_device_nx::discover::open() {
            Ok(device) => router = router.device(device),
            Err(why) => missing(format!("nx: {why}")),
        }
    }
    if let Some(setup) = wanted.nx_model {
        match setup.open(NX_MODEL) {
            Ok((device, opened)) => {
                router = router.device(device);
                nx_model = Some(opened);
            }
            Err(why) => missing(format!("{NX_MODEL}: {why}")),
        }
    }
    if wanted.dfltcc {
        match pelton_device_dfltcc::open() {
            Ok(device) => {
                device.start();
                router = router.device(device);
            }
            Err(why) => missing(why),
        }
    }
    let mut dfltcc_model = None;
    if let Some(setup) = wanted.dfltcc_model {
        match setup.open(DFLTCC_MODEL) {
            Ok((device, opened)) => {
                device.start();
                router = router.device(device);
                dfltcc_model = Some(opened);
            }
            Err(why) => missing(format!("{DFLTCC_MODEL}: {why}")),
        }
    }
    let caller: Arc<dyn Device> = Arc::new(Caller);
    let router = if wanted.has_cpu { router.device(caller) } else { router.fallback(caller) };
    let router = router.build();
    let has_cpu = wanted.has_cpu;
    (Registry { process, router, has_cpu, iaa_model, nx_model, dfltcc_model }, warnings)
}

/// Returns the router's counters for the statistics; empty if there are no devices.
pub fn report() -> String {
    let mut text = String::new();
    // SAFETY: null, or never freed.
    let registry = unsafe { REGISTRY.load(Ordering::Acquire).as_ref() };
    let Some(registry) = registry.filter(|registry| registry.process == this_process()) else { return text };
    // Writing to a string can't fail.
    for line in registry.router.counters().to_string().lines() {
        let _ = writeln!(text, "  {line}");
    }
    let models = [
        registry.iaa_model.as_ref().map(|model| model.report(IAA_MODEL)),
        registry.nx_model.as_ref().map(|model| model.report(NX_MODEL)),
    ];
    for report in models.into_iter().flatten() {
        let _ = writeln!(text, "  {report}");
    }
    if let Some(model) = &registry.dfltcc_model {
        let _ = writeln!(text, "  {}", model.report(DFLTCC_MODEL));
    }
    text
}
