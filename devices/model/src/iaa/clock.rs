//! Modelled clock: start and end of each operation on its engine.
//!
//! An operation arrives at its submission, and not before the modelled end of any operation with a
//! completion record by then. It starts when its engine is free, and ends after the time from
//! [`Timing`]. The real speed of the model has no influence.

use std::fmt;
use std::time::Duration;

use pelton_device_iaa::hw::Opcode;

use super::timing::Timing;

/// Time lines of a model's engines, in modelled nanoseconds since the first arrival.
pub(super) struct Clock {
    timing: Timing,
    /// The engines of each device.
    engines: Vec<Vec<Engine>>,
    /// For each device, the time when it has transferred the bytes so far.
    devices: Vec<f64>,
    /// The latest end of a completed operation.
    seen: f64,
    report: ModelledTime,
}

#[derive(Clone, Copy, Default)]
struct Engine {
    free: f64,
    is_busy: bool,
}

/// Result of a model's clock. Every figure is modelled: computed from published and assumed figures
/// of the hardware, not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelledTime {
    /// Number of completed operations.
    pub operations: u64,
    /// Used bytes of source 1.
    pub bytes_in: u64,
    /// Written bytes.
    pub bytes_out: u64,
    /// Modelled time from the first arrival to the last end.
    pub modelled_makespan: Duration,
    /// Modelled time of work, summed over the engines.
    pub modelled_busy: Duration,
    /// Modelled time in which operations waited for an engine, summed over the operations.
    pub modelled_waiting: Duration,
    /// Number of engines.
    pub engines: usize,
}

impl ModelledTime {
    /// Returns the modelled GB/s by written bytes.
    pub fn modelled_output_gb_per_s(&self) -> f64 {
        rate(self.bytes_out, self.modelled_makespan)
    }

    /// Returns the modelled GB/s by read bytes.
    pub fn modelled_input_gb_per_s(&self) -> f64 {
        rate(self.bytes_in, self.modelled_makespan)
    }

    /// Returns the modelled share of time in which an engine works, 0 to 1.
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

/// The properties of an operation that determine its time.
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

    /// Returns the arrival of an operation that is submitted now.
    pub(super) fn arrival(&self) -> f64 {
        self.seen
    }

    /// Assigns the idle engine that is free first; none if all are busy.
    pub(super) fn start(&mut self, device: usize, arrival: f64) -> Option<Slot> {
        let idle = self.engines[device].iter_mut().enumerate().filter(|(_, engine)| !engine.is_busy);
        let (number, engine) = idle.min_by(|(_, a), (_, b)| a.free.total_cmp(&b.free))?;
        engine.is_busy = true;
        Some(Slot { device, engine: number, arrival, start: engine.free.max(arrival) })
    }

    /// Ends an operation.
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
