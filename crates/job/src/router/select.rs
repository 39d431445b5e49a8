//! Which device a job goes to, first and after a failure.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::device::Failure;
use crate::job::JobView;
use crate::queue::in_flight::Attempt;
use crate::queue::result::{JobError, UnsupportedReasons};
use crate::router::Router;
use crate::router::circuit_breaker::SET_ASIDE;
use crate::router::device_state::Entry;

/// Who is asked first. Within a rank, the device that finishes soonest gets the job.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Ordinary,
    Reserve,
    /// Set aside: it gets what nobody else takes.
    Aside,
}

impl Rank {
    pub(crate) fn of(entry: &Entry, now: Instant) -> Rank {
        match (entry.health.is_usable(now), entry.reserve) {
            (false, _) => Rank::Aside,
            (true, true) => Rank::Reserve,
            (true, false) => Rank::Ordinary,
        }
    }
}

/// The device that finishes a job soonest.
pub(crate) struct Choice {
    pub(crate) device: usize,
    /// The time expected for the job alone.
    pub(crate) expected: Duration,
}

impl Router {
    /// The device for a job that these devices failed already, each of which gets one chance; or the job's
    /// error when there is none left. Counts refusals, and what the last failure led to.
    ///
    /// A failure of the device sends the job to any other device that supports it. A complaint about the
    /// job's data is final from an authoritative device; from another it is checked on an authoritative one,
    /// because a limit or fault of an accelerator (a window that it does not have, a bit flipped on the way)
    /// looks the same as bad data.
    pub(crate) fn route(&self, job: &JobView<'_>, attempts: &[Attempt]) -> Result<Choice, JobError> {
        let last = attempts.last();
        let mut refusals = Vec::new();
        let mut best: Option<((Rank, Duration), Choice)> = None;
        let mut aside = Vec::new();
        let now = Instant::now();
        for (device, entry) in self.entries().iter().enumerate() {
            let authority_wanted = last.is_some_and(|last| last.failure.is_data());
            if authority_wanted && (!entry.authoritative || self.is_final(attempts)) {
                continue;
            }
            if attempts.iter().any(|attempt| attempt.device == device) {
                continue;
            }
            if let Err(refusal) = entry.supports(job) {
                if attempts.is_empty() {
                    entry.tally.refused(job.operation, refusal.reason());
                }
                refusals.push((Arc::clone(&entry.name), refusal));
                continue;
            }
            let rank = Rank::of(entry, now);
            if rank == Rank::Aside {
                aside.push(device);
            }
            let expected = entry.predict(job.operation, job.uncompressed_len());
            let place = (rank, entry.queue().finish(expected));
            if best.as_ref().is_none_or(|(first, _)| place < *first) {
                best = Some((place, Choice { device, expected }));
            }
        }
        if let Some(last) = last {
            let tally = &self.entry(last.device).tally;
            match &best {
                Some(_) => tally.fell_back(last.operation, last.failure.reason()),
                None => tally.failed(last.operation),
            }
        }
        match (best, last) {
            (Some((_, choice)), _) => {
                self.entry(choice.device).health.chosen();
                let passed_over = aside.into_iter().filter(|&device| device != choice.device);
                for device in passed_over.filter(|_| attempts.is_empty()) {
                    self.entry(device).tally.refused(job.operation, SET_ASIDE);
                }
                Ok(choice)
            }
            (None, Some(last)) => {
                // Whoever complained about the data was right.
                attempts.iter().for_each(|attempt| self.entry(attempt.device).health.unknown());
                Err(self.error(last))
            }
            (None, None) => Err(JobError::Unsupported { reasons: UnsupportedReasons(refusals.into()) }),
        }
    }

    /// A device did what these had failed to do. Those that complained about the data were wrong.
    pub(crate) fn made_good(&self, attempts: &[Attempt]) {
        for attempt in attempts.iter().filter(|attempt| attempt.failure.is_data()) {
            self.entry(attempt.device).failed_by_itself();
        }
    }

    /// Whether the last failure is the last word.
    fn is_final(&self, attempts: &[Attempt]) -> bool {
        attempts.last().is_some_and(|last| last.failure.is_data() && self.entry(last.device).authoritative)
    }

    /// What a failure that nobody can make good means for the job.
    fn error(&self, last: &Attempt) -> JobError {
        let device = Arc::clone(&self.entry(last.device).name);
        match &last.failure {
            Failure::Data(error) => JobError::Codec { device, error: error.clone() },
            Failure::WrongSize { expected, produced } => {
                JobError::WrongSize { device, expected: *expected, produced: *produced }
            }
            Failure::Unsupported(refusal) => {
                JobError::Unsupported { reasons: UnsupportedReasons(Arc::new([(device, refusal.clone())])) }
            }
            Failure::Lost(reason) | Failure::Fault(reason) => {
                JobError::DeviceFailed { device, reason: Arc::from(&**reason) }
            }
            Failure::Panicked(message) => JobError::Panicked { device, message: Arc::from(&**message) },
        }
    }
}
