//! Setup of a model behind the driver, from a user's settings. The model is slower than the CPU,
//! and to the driver the same as hardware.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use pelton_device_nx::hw::Completion;
use pelton_device_nx::{Credits, NxDevice, NxError, Options};

use super::config::Config;
use super::fault::{Fault, Faults};
use super::model::Model;

/// Maximum number of engines: those of the largest machine, a chip each.
const MAX_ENGINES: usize = 16;

/// Time limit for a request, which only ends a test that hangs: the model computes on the cores of
/// a possibly busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Faults of `fault-every`, in turns: each fault that hardware may have and that a job survives, if
/// necessary on another device. Lost credits and answers are not among them, because a long run
/// would wait for the time limit of each.
const FAULTS: [Fault; 12] = [
    Fault::SourceFault,
    Fault::TargetFault,
    Fault::Suspend(5000),
    Fault::Busy,
    Fault::Code(Completion::ReadError),
    Fault::Suspend(40_000),
    Fault::Code(Completion::InternalError),
    Fault::SuspendWindow,
    Fault::Code(Completion::WriteError),
    Fault::ForeignFault,
    Fault::Code(Completion::DataError),
    Fault::Code(Completion::InvalidCode),
];

/// Settings of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Number of engines.
    pub engines: NonZeroUsize,
    /// Interval of faults in requests, each of another kind; none if unset.
    pub fault_every: Option<NonZeroUsize>,
}

impl Default for Setup {
    /// Returns one engine without faults.
    fn default() -> Setup {
        Setup { engines: NonZeroUsize::MIN, fault_every: None }
    }
}

impl Setup {
    /// The settings, for messages.
    pub const SETTINGS: &str = "it has engines=N, 1 to 16, and fault-every=N, 1 or more";

    /// Sets the setting called `name`; none if there is no such setting, or if the value is
    /// invalid.
    pub fn set(&mut self, name: &str, value: &str) -> Option<()> {
        let count = |most: usize| value.parse().ok().filter(|count: &NonZeroUsize| count.get() <= most);
        match name {
            "engines" => self.engines = count(MAX_ENGINES)?,
            "fault-every" => self.fault_every = Some(count(usize::MAX)?),
            _ => return None,
        }
        Some(())
    }

    /// Builds the model, and the driver called `name` over all its engines.
    ///
    /// # Errors
    /// The driver's, as for hardware.
    pub fn open(self, name: &str) -> Result<(Arc<NxDevice>, Model), NxError> {
        let engines = self.engines.get();
        let faults = match self.fault_every {
            Some(every) => Faults::none().in_turns(every.get() as u64, &FAULTS),
            None => Faults::none(),
        };
        let model = Model::new(Config { engines, faults, ..Config::default() });
        let options = Options {
            name: name.to_owned(),
            place: "software model of IBM NX-GZIP (POWER9)".to_owned(),
            engines,
            time_limit: TIME_LIMIT,
            ..Options::default()
        };
        Ok((NxDevice::open(model.opener(Credits::Shared), options)?, model))
    }
}
