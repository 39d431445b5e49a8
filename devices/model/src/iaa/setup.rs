//! A model behind the driver, as a user asks for it by name: slower than the CPU it runs on, and
//! the same to the driver as hardware.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use pelton_device_iaa::hw::{AnalyticsError, Status};
use pelton_device_iaa::{IaaDevice, IaaError, Options, Windows};

use super::fault::{Fault, Faults};
use super::model::Model;

/// Devices that a model may have: eight sockets, of which each has four on a Xeon 8488C, and twice
/// as many for the next.
const MOST_DEVICES: usize = 64;

/// How long one operation may take. The model computes on this machine's cores what the hardware
/// does in milliseconds, and they may have other work; this is to end a test that hangs, no more.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The faults of `fault-every`, in turns: each that hardware may have with a job and that the job,
/// if not the device, can do without. Not among them is a device that stops answering, after which
/// there would be none left to look at.
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

/// What a user may say of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// How many devices there are.
    pub devices: NonZeroUsize,
    /// Every job of this number, and its multiples, meets a fault, each of another kind; none does
    /// if unset.
    pub fault_every: Option<NonZeroUsize>,
    /// Which streams it is given, as for hardware.
    pub windows: Windows,
}

impl Default for Setup {
    /// One device without faults.
    fn default() -> Setup {
        Setup { devices: NonZeroUsize::MIN, fault_every: None, windows: Windows::default() }
    }
}

impl Setup {
    /// What can be set, in words.
    pub const SETTINGS: &str =
        "it has devices=N, 1 to 64, fault-every=N, 1 or more, and windows=known or windows=try";

    /// Sets what is called `name`; `None` if there is no such setting, or it can't be this.
    pub fn set(&mut self, name: &str, value: &str) -> Option<()> {
        let count = |most: usize| value.parse().ok().filter(|count: &NonZeroUsize| count.get() <= most);
        match name {
            "devices" => self.devices = count(MOST_DEVICES)?,
            "fault-every" => self.fault_every = Some(count(usize::MAX)?),
            "windows" => self.windows = Windows::named(value)?,
            _ => return None,
        }
        Some(())
    }

    /// Builds the model, and the driver over all its queues, which is called `name`.
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
