//! Setup of a model behind the driver, from a user's settings. The model is slower than the CPU,
//! and to the driver the same as hardware.

use std::num::NonZeroU64;
use std::sync::Arc;

use pelton_device_dfltcc::{DfltccDevice, DfltccError, Function, Options};

use super::config::{Config, Fault, Faults};
use super::function::ending_code;
use super::model::Model;

/// Faults of `fault-every`, in turns: each fault that hardware may have and that a job survives on
/// another device. A call without progress is not among them, because it costs a thousand calls.
const FAULTS: [Fault; 6] = [
    Fault::Ends(0),
    Fault::Ends(ending_code::UNDEFINED),
    Fault::TargetFull,
    Fault::ReadsTooMuch,
    Fault::WritesTooMuch,
    Fault::WrongCheckValue,
];

/// Settings of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// Interval of faults in calls, each of another kind; none if unset.
    pub fault_every: Option<NonZeroU64>,
    /// Interval in calls of those that return early with condition code 3; none if unset.
    pub again_every: Option<NonZeroU64>,
    /// Seed of the model's decisions.
    pub seed: u64,
}

impl Setup {
    /// The settings, for messages.
    pub const SETTINGS: &str = "it has fault-every=N and cc3-every=N, 1 or more, and seed=N";

    /// Sets the setting called `name`; none if there is no such setting, or if the value is
    /// invalid.
    pub fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "fault-every" => self.fault_every = Some(value.parse().ok()?),
            "cc3-every" => self.again_every = Some(value.parse().ok()?),
            "seed" => self.seed = value.parse().ok()?,
            _ => return None,
        }
        Some(())
    }

    /// Builds the model, and the driver called `name` over it.
    ///
    /// # Errors
    /// The driver's, as for hardware.
    pub fn open(self, name: &str) -> Result<(Arc<DfltccDevice>, Model), DfltccError> {
        let model = Model::new(Config {
            seed: self.seed,
            again_every: self.again_every.map(NonZeroU64::get),
            faults: self.fault_every.map_or_else(Faults::none, |every| in_turns(every.get())),
            ..Config::default()
        });
        let place = "software model of IBM z15's DFLTCC".to_owned();
        let options = Options { name: name.to_owned(), place, ..Options::default() };
        Ok((DfltccDevice::new(Arc::new(model.clone()), options)?, model))
    }
}

fn in_turns(every: u64) -> Faults {
    Faults::rule(move |index, function| {
        let number = index + 1;
        let fault = FAULTS[(number / every) as usize % FAULTS.len()];
        // A compression's checksum is verified by whoever reads the data, and by nobody before.
        let is_silent = fault == Fault::WrongCheckValue && function != Function::Expand;
        (number.is_multiple_of(every) && !is_silent).then_some(fault)
    })
}
