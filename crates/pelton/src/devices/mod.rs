//! Which devices this machine has, and why it hasn't the others.

mod hardware;
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
    /// Whether it is there and can be used.
    pub available: bool,
    /// What it is, or why it is not there.
    pub detail: String,
    /// Commands that would enable it, or make it faster, one after another.
    pub enable: Vec<String>,
}

/// Devices that were opened.
pub(crate) struct Opened {
    /// In the router's order.
    pub(crate) devices: Vec<Arc<dyn Device>>,
    /// What gets only the jobs that those don't do.
    pub(crate) reserve: Option<Arc<dyn Device>>,
    /// Models among the devices.
    pub(crate) models: Vec<Modelled>,
    /// What there is to say of them.
    pub(crate) reports: Vec<DeviceReport>,
}

/// Opens what was chosen, or what is there. Accelerators come first, as of devices that are done at the same time the first
/// gets the job. The CPU always is there, and comes last: what it can't do, nothing else can.
pub(crate) fn open(threads: usize, choice: Option<&DeviceChoice>) -> Result<Opened> {
    let cpu: Arc<dyn Device> = CpuDevice::builder().threads(threads).build();
    let mut opened = Opened { devices: Vec::new(), reserve: None, models: Vec::new(), reports: Vec::new() };
    let everything = [Wanted::Iaa];
    for wanted in choice.map_or(&everything[..], DeviceChoice::wanted) {
        match wanted {
            Wanted::Cpu => {}
            Wanted::Iaa => match (hardware::open(), choice) {
                (Ok(device), _) => opened.add(device),
                (Err(why), Some(_)) => return Err(Error::Query(format!("there is no device {why}"))),
                // `accelerators` says why.
                (Err(_), None) => {}
            },
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
    let (name, detail) = (device.name().to_owned(), device.description());
    DeviceReport { name, available: true, detail, enable: Vec::new() }
}

/// What there is of the accelerators, a row for each device and queue, or why there is none. Looked for when somebody
/// asks, as it reads many small files.
pub(crate) fn accelerators() -> impl Iterator<Item = DeviceReport> {
    pelton_device_iaa::discover::report().rows.into_iter().map(|row| DeviceReport {
        name: row.name,
        available: row.usable,
        detail: row.detail,
        enable: row.enable,
    })
}
