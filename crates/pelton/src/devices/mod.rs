//! Which devices this machine has, and why it hasn't the others.

mod model;

use std::sync::Arc;

use pelton_device_cpu::CpuDevice;
use pelton_job::Device;
use pelton_query::{Error, Result};

use crate::choice::{DeviceChoice, Wanted};
pub(crate) use model::Modelled;

/// One device that Pelton knows of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceReport {
    /// Its name, as the counters have it.
    pub name: String,
    /// Whether it is there and in use.
    pub available: bool,
    /// What it is, or why it is not there.
    pub detail: String,
}

/// Devices that were opened.
pub(crate) struct Opened {
    /// In the router's order.
    pub(crate) devices: Vec<Arc<dyn Device>>,
    /// What gets only the jobs that those don't do.
    pub(crate) reserve: Option<Arc<dyn Device>>,
    /// Models among the devices.
    pub(crate) models: Vec<Modelled>,
    /// What there is to say of every device that Pelton knows of.
    pub(crate) reports: Vec<DeviceReport>,
}

/// Opens what was chosen, or what is there. Accelerators come first, as of devices that are done at the same time the first
/// gets the job. The CPU always is there, and comes last: what it can't do, nothing else can.
pub(crate) fn open(threads: usize, choice: Option<&DeviceChoice>) -> Result<Opened> {
    let cpu: Arc<dyn Device> = CpuDevice::builder().threads(threads).build();
    let mut opened = Opened { devices: Vec::new(), reserve: None, models: Vec::new(), reports: Vec::new() };
    for wanted in choice.map_or(&[][..], DeviceChoice::wanted) {
        match wanted {
            Wanted::Cpu => {}
            Wanted::Iaa => return Err(Error::Query("iaa: not there".to_owned())),
            Wanted::IaaModel(settings) => {
                let (device, modelled) = model::open(*settings)?;
                opened.add(device);
                opened.models.push(modelled);
            }
        }
    }
    opened.reports.push(report(&cpu));
    match choice.is_none_or(DeviceChoice::has_cpu) {
        true => opened.devices.push(cpu),
        false => opened.reserve = Some(cpu),
    }
    Ok(opened)
}

impl Opened {
    fn add(&mut self, device: Arc<dyn Device>) {
        self.reports.push(report(&device));
        self.devices.push(device);
    }
}

fn report(device: &Arc<dyn Device>) -> DeviceReport {
    DeviceReport { name: device.name().to_owned(), available: true, detail: device.description() }
}
