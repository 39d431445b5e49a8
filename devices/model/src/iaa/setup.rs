//! Setup of a model behind the driver, from a user's settings. The model is slower than the CPU,
//! and to the driver the same as hardware.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use pelton_device_iaa::hw::{AnalyticsError, Status};
use pelton_device_iaa::{IaaDevice, IaaError, Options, Windows};

use super::fault::{Fault, Faults};
use super::model::Model;

/// Maximum number of devices: more than any machine has.
const MAX_DEVICES: usize = 64;

/// Time limit for an operation, which only ends a test that hangs: the model computes on the cores
/// of a possibly busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Faults of `fault-every`, in turns: each fault that hardware may have and that a job survives, if
/// necessary on another device. A device that stops answering is not among them, because a model
/// would soon have no device left.
const FAULTS: [Fault; 12] = [
    Fault::ReadFault,
    Fault::WriteFault,
    Fault::UnresolvedReadFault,
    Fault::OutputOverflow,
    Fault::Analytics(AnalyticsError::DistanceTooFar),
    Fault::Status(Status::HardwareError),
    Fault::WrongSize(-1),
    Fault::WrongSize(1),
    Fault::WrongCrc,
    Fault::WrongBits(4),
    Fault::Overtaken(3),
    Fault::QueueFull,
];

/// Settings of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Number of devices.
    pub devices: NonZeroUsize,
    /// Interval of faults in descriptors, each of another kind; none if unset.
    pub fault_every: Option<NonZeroUsize>,
    /// Streams to decompress, as for hardware.
    pub windows: Windows,
}

impl Default for Setup {
    /// Returns one device without faults.
    fn default() -> Setup {
        Setup { devices: NonZeroUsize::MIN, fault_every: None, windows: Windows::default() }
    }
}

impl Setup {
    /// The settings, for messages.
    pub const SETTINGS: &str =
        "it has devices=N, 1 to 64, fault-every=N, 1 or more, and windows=known or windows=try";

    /// Sets the setting called `name`; none if there is no such setting, or if the value is
    /// invalid.
    pub fn set(&mut self, name: &str, value: &str) -> Option<()> {
        let count = |most: usize| value.parse().ok().filter(|count: &NonZeroUsize| count.get() <= most);
        match name {
            "devices" => self.devices = count(MAX_DEVICES)?,
            "fault-every" => self.fault_every = Some(count(usize::MAX)?),
            "windows" => self.windows = Windows::named(value)?,
            _ => return None,
        }
        Some(())
    }

    /// Builds the model, and the driver called `name` over all its queues.
    ///
    /// # Errors
    /// The driver's, as for hardware.
    pub fn open(self, name: &str) -> Result<(Arc<IaaDevice>, Model), IaaError> {
        let devices = self.devices.get();
        let mut builder = Model::builder().devices(devices);
        if let Some(every) = self.fault_every {
            builder = builder.faults(in_turns(every.get() as u64));
        }
        let model = builder.build();
        let plural = if devices == 1 { "" } else { "s" };
        let options = Options {
            name: name.to_owned(),
            place: format!("software model of {devices} Intel IAA device{plural}"),
            time_limit: TIME_LIMIT,
            windows: self.windows,
            ..Options::default()
        };
        Ok((IaaDevice::new(model.open(), options)?, model))
    }
}

fn in_turns(every: u64) -> Faults {
    Faults::none().rule(move |offered| {
        let number = offered.index + 1;
        let fault = FAULTS[(number / every) as usize % FAULTS.len()];
        number.is_multiple_of(every).then_some(fault)
    })
}
