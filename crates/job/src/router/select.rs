//! Device selection: the device for a job, at first and after a failure.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Router;
use super::circuit_breaker::OPEN;
use super::device_state::DeviceState;
use crate::device::Failure;
use crate::job::JobView;
use crate::queue::in_flight::Attempt;
use crate::queue::result::{JobError, UnsupportedReasons};

/// Order of preference. Within a tier, the device with the earliest expected finish gets the job.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    Preferred,
    Fallback,
    /// Behind an open circuit breaker: gets a job only if no other device is left that supports it.
    BreakerOpen,
}

impl Tier {
    fn of(device: &DeviceState, now: Instant) -> Tier {
        match (device.breaker.allows(now), device.fallback) {
            (false, _) => Tier::BreakerOpen,
            (true, true) => Tier::Fallback,
            (true, false) => Tier::Preferred,
        }
    }
}

/// A device's tier and the expected time until it finishes a job there.
type Rank = (Tier, Duration);

/// The selected device.
pub(super) struct Selection {
    pub(super) device: usize,
    /// Expected time of the job alone.
    pub(super) expected: Duration,
}

impl Router {
    /// Selects the device for a job after these failed attempts; each device gets one attempt.
    /// Returns the job's error if no device remains. Counts unsupported jobs, and the consequence
    /// of the last failure.
    ///
    /// A failure of the device itself sends the job to any other device that supports it. A
    /// complaint about the job's data is final from an authoritative device; from another it is
    /// checked on an authoritative one, because a limit or a fault of an accelerator (a smaller
    /// window, a flipped bit) looks the same as bad data.
    pub(super) fn select(&self, job: &JobView<'_>, attempts: &[Attempt]) -> Result<Selection, JobError> {
        let last = attempts.last();
        let mut reasons = Vec::new();
        let mut best: Option<(Rank, Selection)> = None;
        let mut open = Vec::new();
        let now = Instant::now();
        for (device, state) in self.devices.iter().enumerate() {
            let needs_authority = last.is_some_and(|last| last.failure.is_data());
            if needs_authority && (!state.authoritative || self.is_final(attempts)) {
                continue;
            }
            if attempts.iter().any(|attempt| attempt.device == device) {
                continue;
            }
            if let Err(unsupported) = state.supports(job) {
                if attempts.is_empty() {
                    state.refused(job.operation, unsupported.reason());
                }
                reasons.push((Arc::clone(&state.name), unsupported));
                continue;
            }
            let tier = Tier::of(state, now);
            if tier == Tier::BreakerOpen {
                open.push(device);
            }
            let expected = state.predict(job.operation, job.uncompressed_len());
            let rank = (tier, state.queue().finish(expected));
            if best.as_ref().is_none_or(|(first, _)| rank < *first) {
                best = Some((rank, Selection { device, expected }));
            }
        }
        if let Some(last) = last {
            let device = &self.devices[last.device];
            match &best {
                Some(_) => device.fell_back(last.operation, &last.failure),
                None => device.metrics.failed(last.operation),
            }
        }
        match (best, last) {
            (Some((_, selection)), _) => {
                self.devices[selection.device].breaker.record_start();
                let passed_over = open.into_iter().filter(|&device| device != selection.device);
                for device in passed_over.filter(|_| attempts.is_empty()) {
                    self.devices[device].refused(job.operation, OPEN);
                }
                Ok(selection)
            }
            (None, Some(last)) => {
                // The devices that complained about the data were right.
                self.release_probes(attempts);
                Err(self.error(last))
            }
            (None, None) => Err(JobError::Unsupported { reasons: UnsupportedReasons(reasons.into()) }),
        }
    }

    /// Ends the probes of the devices that made these attempts.
    pub(super) fn release_probes(&self, attempts: &[Attempt]) {
        attempts.iter().for_each(|attempt| self.devices[attempt.device].breaker.release_probe());
    }

    /// Records a fault of each device that complained about the data: another device has completed
    /// the job, so the complaint was wrong.
    pub(super) fn record_false_complaints(&self, attempts: &[Attempt]) {
        for attempt in attempts.iter().filter(|attempt| attempt.failure.is_data()) {
            self.devices[attempt.device].record_fault();
        }
    }

    /// Returns whether the last attempt was a complaint of an authoritative device.
    fn is_final(&self, attempts: &[Attempt]) -> bool {
        attempts.last().is_some_and(|last| last.failure.is_data() && self.devices[last.device].authoritative)
    }

    /// Returns the job's error after a failure that no other device can make good.
    fn error(&self, last: &Attempt) -> JobError {
        let device = Arc::clone(&self.devices[last.device].name);
        match &last.failure {
            Failure::Data(error) => JobError::Codec { device, error: error.clone() },
            Failure::WrongSize { expected, produced } => {
                JobError::WrongSize { device, expected: *expected, produced: *produced }
            }
            Failure::Unsupported(unsupported) => JobError::Unsupported {
                reasons: UnsupportedReasons(Arc::new([(device, unsupported.clone())])),
            },
            Failure::Lost(reason) | Failure::Fault(reason) => {
                JobError::DeviceFailed { device, reason: Arc::from(&**reason) }
            }
            Failure::Panicked(message) => JobError::Panicked { device, message: Arc::from(&**message) },
        }
    }

    /// Returns the device that would get a job now, with its rank. Nothing is counted or reserved.
    pub(super) fn earliest(&self, job: &JobView<'_>) -> Option<(Rank, usize)> {
        let now = Instant::now();
        let supporting = self.devices.iter().enumerate().filter(|(_, state)| state.supports(job).is_ok());
        let ranks = supporting.map(|(device, state)| {
            let expected = state.predict(job.operation, job.uncompressed_len());
            ((Tier::of(state, now), state.queue().finish(expected)), device)
        });
        ranks.min()
    }

    /// Returns whether any device fuses decompression and filter. Without one,
    /// [`Router::prefers_fused_filter`] is always false.
    pub fn has_fused_filter(&self) -> bool {
        self.devices.iter().any(|state| state.fuses_filter)
    }

    /// Returns whether one fused decompress-and-filter job, `test`, is expected to finish no later
    /// than the decompression alone, `decompress`, after which the submitter filters. True if a
    /// device that fuses both would get `test`, and the same device would get `decompress` or
    /// `decompress` would finish later on another.
    ///
    /// The estimate excludes the submitter's own filter. It is advisory: nothing is counted or
    /// reserved, and a job submitted later may go to another device, with the same result.
    pub fn prefers_fused_filter(&self, test: &JobView<'_>, decompress: &JobView<'_>) -> bool {
        let earliest = self.earliest(test).filter(|&(_, device)| self.devices[device].fuses_filter);
        let Some((fused_rank, device)) = earliest else { return false };
        match self.earliest(decompress) {
            // On one device, the errors of the two estimates exceed the cost of a separate filter.
            Some((_, other)) if other == device => true,
            Some((rank, _)) => fused_rank <= rank,
            None => true,
        }
    }
}
