//! The modelled clock: when each engine would have started and ended each operation.
//!
//! An operation arrives when it is submitted, and no earlier than the modelled end of every
//! operation whose completion record could have been seen by then. It starts when its engine is
//! free, and ends after the time that [`Timing`] says. How fast this machine runs the model does
//! not enter.

use std::fmt;
use std::time::Duration;

use pelton_device_iaa::hw::Opcode;

use super::timing::Timing;

/// The time lines of a model's engines, in modelled nanoseconds since the first arrival.
pub(super) struct Clock {
    timing: Timing,
    /// For each engine of each device, when it is free.
    engines: Vec<Vec<Engine>>,
    /// For each device, when the bytes that it has taken are through.
    devices: Vec<f64>,
    /// The latest end of an operation that was seen.
    seen: f64,
    report: ModelledTime,
}

#[derive(Clone, Copy, Default)]
struct Engine {
    free: f64,
    is_busy: bool,
}

/// What a model's clock says. Every figure is modelled: computed from published and assumed figures
/// of the hardware, not measured on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelledTime {
    /// Operations that ended.
    pub operations: u64,
    /// Bytes of source 1 that they used.
    pub bytes_in: u64,
    /// Bytes that they wrote.
    pub bytes_out: u64,
    /// Modelled time from the first arrival to the last end.
    pub modelled_makespan: Duration,
    /// Modelled time that engines worked, all of them together.
    pub modelled_busy: Duration,
    /// Modelled time that operations waited for an engine, all of them together.
    pub modelled_waiting: Duration,
    /// Engines there are.
    pub engines: usize,
}

impl ModelledTime {
    /// Modelled GB/s by plain bytes written.
    pub fn modelled_output_gb_per_s(&self) -> f64 {
        rate(self.bytes_out, self.modelled_makespan)
    }

    /// Modelled GB/s by bytes read.
    pub fn modelled_input_gb_per_s(&self) -> f64 {
        rate(self.bytes_in, self.modelled_makespan)
    }

    /// Modelled part of the time that an engine is busy, 0 to 1.
    pub fn modelled_utilisation(&self) -> f64 {
        let all = self.modelled_makespan.as_secs_f64() * self.engines as f64;
        if all > 0.0 { self.modelled_busy.as_secs_f64() / all } else { 0.0 }
    }
}

fn rate(bytes: u64, time: Duration) -> f64 {
    if time.is_zero() { 0.0 } else { bytes as f64 / time.as_secs_f64() / 1e9 }
}

impl fmt::Display for ModelledTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "modelled: {} operations in {:?}, {:.2} GB/s in, {:.2} GB/s out, {} engines {:.0}% busy",
            self.operations,
            self.modelled_makespan,
            self.modelled_input_gb_per_s(),
            self.modelled_output_gb_per_s(),
            self.engines,
            self.modelled_utilisation() * 100.0,
        )
    }
}

/// One operation on the time line of an engine.
pub(super) struct Slot {
    device: usize,
    engine: usize,
    arrival: f64,
    start: f64,
}

/// What an operation did, as far as its time depends on it.
pub(super) struct Work {
    pub(super) opcode: Option<Opcode>,
    pub(super) consumed: usize,
    pub(super) produced: usize,
    pub(super) waited_for_page: bool,
}

impl Clock {
    pub(super) fn new(timing: Timing, devices: usize, engines: usize) -> Clock {
        let report = ModelledTime { engines: devices * engines, ..ModelledTime::default() };
        let engines = vec![vec![Engine::default(); engines]; devices];
        Clock { timing, engines, devices: vec![0.0; devices], seen: 0.0, report }
    }

    /// When an operation arrives that is submitted now.
    pub(super) fn arrival(&self) -> f64 {
        self.seen
    }

    /// Give an operation the engine of a device that is free first, if one is.
    pub(super) fn start(&mut self, device: usize, arrival: f64) -> Option<Slot> {
        let idle = self.engines[device].iter_mut().enumerate().filter(|(_, engine)| !engine.is_busy);
        let (number, engine) = idle.min_by(|(_, a), (_, b)| a.free.total_cmp(&b.free))?;
        engine.is_busy = true;
        Some(Slot { device, engine: number, arrival, start: engine.free.max(arrival) })
    }

    /// An operation has ended.
    pub(super) fn end(&mut self, slot: Slot, work: &Work) {
        let (whole, transfer) = match work.opcode {
            Some(opcode) => self.timing.of(opcode, work.consumed, work.produced),
            None => (self.timing.setup.as_nanos() as f64, 0.0),
        };
        let fault = if work.waited_for_page { self.timing.page_fault.as_nanos() as f64 } else { 0.0 };
        let device = &mut self.devices[slot.device];
        *device = device.max(slot.start) + transfer / self.timing.engines_at_once;
        let end = (slot.start + whole + fault).max(*device);
        self.engines[slot.device][slot.engine] = Engine { free: end, is_busy: false };
        self.seen = self.seen.max(end);
        let report = &mut self.report;
        report.operations += 1;
        report.bytes_in += work.consumed as u64;
        report.bytes_out += work.produced as u64;
        report.modelled_makespan = nanos(self.seen);
        report.modelled_busy += nanos(end - slot.start);
        report.modelled_waiting += nanos(slot.start - slot.arrival);
    }

    pub(super) fn report(&self) -> ModelledTime {
        self.report
    }
}

fn nanos(time: f64) -> Duration {
    Duration::from_secs_f64(time / 1e9)
}
