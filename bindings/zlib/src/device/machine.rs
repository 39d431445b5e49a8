//! The devices of this process. A child of `fork` opens its own: it has the memory of its parent's, locked as it may be, but
//! neither their threads nor their queues.

use std::fmt::Write;
use std::process;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use pelton_device_model::iaa::Model;
use pelton_job::{Device, Router};

use super::caller::Caller;
use crate::complain::complain;
use crate::pool::boxed;
use crate::settings::{Devices, keeping_errno, settings};
use crate::threads::{stay_loaded, without_signals};

/// The name of the model, as users write it.
const MODEL: &str = "iaa-model";

/// The devices of a process.
pub struct Machine {
    process: u32,
    pub router: Arc<Router>,
    /// Whether the caller's thread competes with them, and isn't only their reserve.
    pub has_cpu: bool,
    model: Option<Model>,
}

/// Never freed, as threads may be at work in it until the process ends.
static MACHINE: AtomicPtr<Machine> = AtomicPtr::new(null_mut());
/// The process that has begun to open its devices last. Nobody waits for that: whoever comes meanwhile does without.
static OPENING: AtomicU32 = AtomicU32::new(0);

/// Whether a device is wanted beside the caller's thread. What is to be the same everywhere is no device's.
#[inline]
pub fn is_wanted() -> bool {
    let settings = settings();
    !settings.devices.is_none() && settings.accelerate && !settings.reproducible
}

/// Whether there is one.
pub fn has_any() -> bool {
    machine().is_some()
}

/// This process's devices, if any is wanted and is there. The first call opens them.
#[inline]
pub fn machine() -> Option<&'static Machine> {
    if is_wanted() { find() } else { None }
}

fn find() -> Option<&'static Machine> {
    let process = process::id();
    let before = OPENING.load(Ordering::Acquire);
    if before != process
        && OPENING.compare_exchange(before, process, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    {
        open(process);
    }
    // SAFETY: null, or never freed.
    let machine = unsafe { MACHINE.load(Ordering::Acquire).as_ref() }?;
    let is_ours = machine.process == process && machine.router.devices().count() > 1;
    is_ours.then_some(machine)
}

/// Opens what is wanted. What is not there is said, and done without.
#[cold]
fn open(process: u32) {
    stay_loaded();
    let machine = keeping_errno(|| without_signals(|| build(process, settings().devices)));
    if let Some(machine) = boxed(machine) {
        MACHINE.store(Box::into_raw(machine), Ordering::Release);
    }
}

fn build(process: u32, wanted: Devices) -> Machine {
    let mut router = Router::builder();
    let mut model = None;
    let lacks = |why: String| {
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
        complain(&format!("a device is done without: {why}"));
    };
    if let Some(windows) = wanted.iaa {
        match pelton_device_iaa::open(windows) {
            Ok(device) => router = router.device(device),
            Err(why) => lacks(why),
        }
    }
    if let Some(setup) = wanted.model {
        match setup.open(MODEL) {
            Ok((device, opened)) => {
                router = router.device(device);
                model = Some(opened);
            }
            Err(why) => lacks(format!("{MODEL}: {why}")),
        }
    }
    let caller: Arc<dyn Device> = Arc::new(Caller);
    let router = if wanted.has_cpu { router.device(caller) } else { router.reserve(caller) };
    Machine { process, router: router.build(), has_cpu: wanted.has_cpu, model }
}

/// What this process's devices did, for the statistics; empty if there are none.
pub fn report() -> String {
    let mut text = String::new();
    // SAFETY: null, or never freed.
    let machine = unsafe { MACHINE.load(Ordering::Acquire).as_ref() };
    let Some(machine) = machine.filter(|machine| machine.process == process::id()) else { return text };
    // Writing to a string can't fail.
    for line in machine.router.counters().to_string().lines() {
        let _ = writeln!(text, "  {line}");
    }
    if let Some(model) = &machine.model {
        let _ = writeln!(text, "  {}", model.report(MODEL));
    }
    text
}
