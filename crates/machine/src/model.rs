//! The software model of an IAA behind the driver: slower than the CPU it runs on, and the same to the driver as hardware.

use std::sync::Arc;
use std::time::Duration;

use pelton_device_iaa::hw::{AnalyticsError, Status};
use pelton_device_iaa::{IaaDevice, Options};
use pelton_device_model::iaa::{Fault, Faults, Model};
use pelton_job::Device;

use crate::MachineError;
use crate::choice::{ModelSettings, Wanted};

/// A model that is in use.
pub struct Modelled {
    name: &'static str,
    model: Model,
}

impl Modelled {
    /// What its clock says, and which faults it met.
    pub fn report(&self) -> String {
        let injected = self.model.counters().faults.total();
        format!("{} {}; {injected} faults injected", self.name, self.model.clock())
    }
}

/// How long one operation may take. The model computes on this machine's cores what the hardware does in milliseconds, and
/// they may have other work; this is to end a test that hangs, no more.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The faults of `fault-every`, in turns: each that hardware may have with a job and that the job, if not the device, can do
/// without. Not among them is a device that stops answering, after which there would be none left to look at.
const FAULTS: [Fault; 11] = [
    Fault::ReadFault,
    Fault::WriteFault,
    Fault::UnresolvedReadFault,
    Fault::OutputOverflow,
    Fault::Analytics(AnalyticsError::DistanceTooFar),
    Fault::Status(Status::HardwareError),
    Fault::WrongSize(-1),
    Fault::WrongSize(1),
    Fault::WrongCrc,
    Fault::Overtaken(3),
    Fault::QueueFull,
];

/// Builds the model and the driver over all its queues.
pub(crate) fn open(settings: ModelSettings) -> Result<(Arc<dyn Device>, Modelled), MachineError> {
    let name = Wanted::IaaModel(settings).name();
    let devices = settings.devices.get();
    let mut builder = Model::builder().devices(devices);
    if let Some(every) = settings.fault_every {
        builder = builder.faults(in_turns(every.get() as u64));
    }
    let model = builder.build();
    let plural = if devices == 1 { "" } else { "s" };
    let options = Options {
        name: name.to_owned(),
        place: format!("software model of {devices} Intel IAA device{plural}"),
        time_limit: TIME_LIMIT,
        windows: settings.iaa.windows,
        ..Options::default()
    };
    let device = IaaDevice::new(model.open(), options)
        .map_err(|error| MachineError::Model { name, why: error.to_string() })?;
    Ok((device, Modelled { name, model }))
}

fn in_turns(every: u64) -> Faults {
    Faults::none().rule(move |offered| {
        let number = offered.index + 1;
        let fault = FAULTS[(number / every) as usize % FAULTS.len()];
        number.is_multiple_of(every).then_some(fault)
    })
}
