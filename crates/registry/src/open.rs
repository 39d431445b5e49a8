//! Opening of the devices that a user named, or of all that the machine has.

use std::sync::Arc;

use pelton_device_cpu::CpuDevice;
use pelton_device_model::{dfltcc, iaa, nx};
use pelton_job::{Device, Limits, Router};

use crate::choice::{DeviceChoice, IaaSettings, ModelSettings, NxModelSettings, Wanted};
use crate::gpu::{self, OpenGpu};
use crate::report::{DeviceReport, RegistryError, without};

/// Devices that were opened.
#[derive(Clone)]
pub struct Opened {
    /// In the router's order.
    pub devices: Vec<Arc<dyn Device>>,
    /// The device for the jobs that no other one supports or completes.
    pub fallback: Option<Arc<dyn Device>>,
    /// Models among the devices.
    pub models: Vec<Modelled>,
    /// The GPU, which runs parts of queries.
    pub gpu: Option<OpenGpu>,
    /// A report on each of them.
    pub reports: Vec<DeviceReport>,
    /// A line for each device that was named and is missing, for the user.
    pub notes: Vec<String>,
}

/// A software model that was opened.
#[derive(Clone)]
pub struct Modelled {
    name: &'static str,
    model: Arc<Model>,
}

enum Model {
    Iaa(iaa::Model),
    Dfltcc(dfltcc::Model),
    Nx(nx::Model),
}

impl Modelled {
    /// Returns its clock and its faults, as text.
    pub fn report(&self) -> String {
        match self.model.as_ref() {
            Model::Iaa(model) => model.report(self.name),
            Model::Dfltcc(model) => model.report(self.name),
            Model::Nx(model) => model.report(self.name),
        }
    }
}

/// Opens the chosen devices, or without a choice those that the machine has. Accelerators come
/// first: the router prefers the first of devices with the same expected finishing time. The CPU is
/// always present, and comes last, as no device supports more.
///
/// A GPU is opened only if it is named: a context on it takes time and memory that a short query
/// does not save again. If it is missing, queries run without it, and a note says so.
///
/// # Errors
/// A named device other than a GPU is missing, or a model can't be started.
pub fn open(threads: usize, choice: Option<&DeviceChoice>) -> Result<Opened, RegistryError> {
    let cpu: Arc<dyn Device> = CpuDevice::builder().threads(threads).build();
    let mut opened = Opened {
        devices: Vec::new(),
        fallback: None,
        models: Vec::new(),
        gpu: None,
        reports: Vec::new(),
        notes: Vec::new(),
    };
    let everything = [Wanted::Iaa(IaaSettings::default()), Wanted::Nx, Wanted::Dfltcc];
    for wanted in choice.map_or(&everything[..], DeviceChoice::wanted) {
        match wanted {
            Wanted::Cpu => {}
            Wanted::Iaa(settings) => match (pelton_device_iaa::open(settings.windows), choice) {
                (Ok(device), _) => opened.add(device),
                (Err(why), Some(_)) => return Err(RegistryError::Missing(why)),
                // `accelerators` says why.
                (Err(_), None) => {}
            },
            Wanted::IaaModel(settings) => {
                let (device, modelled) = open_iaa_model(*settings)?;
                opened.add(device);
                opened.models.push(modelled);
            }
            Wanted::Nx => match (pelton_device_nx::discover::open(), choice) {
                (Ok(device), _) => opened.add(device),
                (Err(why), Some(_)) => return Err(RegistryError::Missing(format!("nx: {why}"))),
                // `accelerators` says why.
                (Err(_), None) => {}
            },
            Wanted::NxModel(settings) => {
                let (device, modelled) = open_nx_model(*settings)?;
                opened.add(device);
                opened.models.push(modelled);
            }
            Wanted::Dfltcc => match (pelton_device_dfltcc::open(), choice) {
                (Ok(device), _) => opened.add(device),
                (Err(why), Some(_)) => return Err(RegistryError::Missing(why)),
                // `accelerators` says why.
                (Err(_), None) => {}
            },
            Wanted::DfltccModel(settings) => {
                let name = wanted.name();
                let (device, model) = settings
                    .open(name)
                    .map_err(|error| RegistryError::Model { name, why: error.to_string() })?;
                opened.add(device);
                opened.models.push(Modelled { name, model: Arc::new(Model::Dfltcc(model)) });
            }
            Wanted::Cuda(_) | Wanted::CudaHost(_) => match OpenGpu::open(*wanted) {
                Some(Ok(gpu)) => {
                    opened.reports.push(gpu.report());
                    opened.devices.push(gpu.device.clone());
                    opened.gpu = Some(gpu);
                }
                Some(Err(why)) => opened.notes.push(without(wanted.name(), &why)),
                None => {}
            },
        }
    }
    opened.reports.push(report(&cpu));
    for DeviceReport { name, detail, .. } in &opened.reports {
        log::info!("opened {name}: {detail}");
    }
    for note in &opened.notes {
        log::warn!("{note}");
    }
    match choice.is_none_or(DeviceChoice::has_cpu) {
        true => opened.devices.push(cpu),
        false => opened.fallback = Some(cpu),
    }
    Ok(opened)
}

impl Opened {
    /// Makes the router over them.
    pub fn router(&self, limits: Limits) -> Arc<Router> {
        let builder =
            self.devices.iter().fold(Router::builder(), |router, device| router.device(device.clone()));
        let builder = match &self.fallback {
            Some(device) => builder.fallback(device.clone()),
            None => builder,
        };
        builder.limits(limits).build()
    }

    /// Returns the same devices with another number of threads on the CPU.
    pub fn with_threads(&self, threads: usize) -> Opened {
        let mut changed = self.clone();
        let cpu: Arc<dyn Device> = CpuDevice::builder().threads(threads).build();
        // both are the CPU's, which is opened last
        if let Some(last) = changed.reports.last_mut() {
            *last = report(&cpu);
        }
        match (&mut changed.fallback, changed.devices.last_mut()) {
            (Some(fallback), _) => *fallback = cpu,
            (None, Some(last)) => *last = cpu,
            (None, None) => {}
        }
        changed
    }

    fn add(&mut self, device: Arc<dyn Device>) {
        self.reports.push(report(&device));
        self.devices.push(device);
    }
}

/// Builds the model of an IAA, and the driver over all its queues.
fn open_iaa_model(settings: ModelSettings) -> Result<(Arc<dyn Device>, Modelled), RegistryError> {
    let name = Wanted::IaaModel(settings).name();
    let (device, model) =
        settings.open(name).map_err(|error| RegistryError::Model { name, why: error.to_string() })?;
    Ok((device, Modelled { name, model: Arc::new(Model::Iaa(model)) }))
}

/// Builds the model of an NX-GZIP, and the driver over all its engines.
fn open_nx_model(settings: NxModelSettings) -> Result<(Arc<dyn Device>, Modelled), RegistryError> {
    let name = Wanted::NxModel(settings).name();
    let (device, model) =
        settings.open(name).map_err(|error| RegistryError::Model { name, why: error.to_string() })?;
    Ok((device, Modelled { name, model: Arc::new(Model::Nx(model)) }))
}

fn report(device: &Arc<dyn Device>) -> DeviceReport {
    let (name, detail) = (device.name().to_owned(), device.description());
    DeviceReport { name, available: true, detail, enable: Vec::new() }
}

/// Returns a row for each accelerator and queue, or the reason that there is none. Reads many small
/// files. A GPU or an instruction that is among the `opened` devices has no row.
pub fn accelerators(opened: &[DeviceReport]) -> Vec<DeviceReport> {
    let rows = pelton_device_iaa::discover::report().into_iter().map(|row| DeviceReport {
        name: row.name,
        available: row.usable,
        detail: row.detail,
        enable: row.enable,
    });
    let is_open = |name| opened.iter().any(|report| report.name == name);
    let nx = (!is_open("nx")).then(|| {
        let row = pelton_device_nx::discover::report();
        DeviceReport { name: row.name, available: row.usable, detail: row.detail, enable: row.enable }
    });
    let instruction = (!is_open("dfltcc")).then(|| {
        let row = pelton_device_dfltcc::discover::report();
        DeviceReport { name: row.name, available: row.usable, detail: row.detail, enable: row.enable }
    });
    rows.chain(nx).chain(instruction).chain((!is_open("cuda")).then(gpu::look)).collect()
}

#[cfg(test)]
mod tests;
