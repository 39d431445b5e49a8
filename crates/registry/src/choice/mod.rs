//! A user's choice of devices, as text: `cpu,iaa`, `iaa-model:devices=2`, `cuda:memory=8GB`.

mod settings;

use std::fmt;
use std::str::FromStr;

use settings::DfltccModelSettings;
pub use settings::{CudaHostSettings, CudaSettings, IaaSettings, ModelSettings, NxModelSettings};

/// The environment variable for the devices to use, unless a caller chooses them.
pub const DEVICES_VARIABLE: &str = "PELTON_DEVICES";

/// The only devices to use; the router chooses among them by expected finishing times. A CPU that
/// is not named runs the jobs that the named devices do not support or complete, so that no query
/// fails.
///
/// As text: names with commas between them, each with settings after colons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceChoice {
    wanted: Vec<Wanted>,
    text: String,
}

/// A device by name, with its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wanted {
    /// The processor.
    Cpu,
    /// Intel's In-Memory Analytics Accelerator.
    Iaa(IaaSettings),
    /// The software model of an IAA, for tests and for estimates. It runs on the CPU, and is slower
    /// than the CPU by itself.
    IaaModel(ModelSettings),
    /// The DEFLATE instruction of IBM z15 and later.
    Dfltcc,
    /// The software model of that instruction, for tests and for estimates.
    DfltccModel(DfltccModelSettings),
    /// IBM's NX-GZIP, of POWER9 and later.
    Nx,
    /// The software model of NX-GZIP, for tests and for estimates. It runs on the CPU, and is
    /// slower than the CPU by itself.
    NxModel(NxModelSettings),
    /// An NVIDIA GPU, which runs parts of queries.
    Cuda(CudaSettings),
    /// The host build of a GPU's kernels: this machine's processor in the place of a GPU, for
    /// tests. It is slower than the CPU by itself.
    CudaHost(CudaHostSettings),
}

/// Error in a choice of devices; the text lists the possible ones.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// No such device.
    #[error(
        "there is no device {0:?}; there are cpu, iaa, nx, cuda, dfltcc, iaa-model, nx-model, dfltcc-model and \
         cuda-host, and `pelton devices` says more"
    )]
    Unknown(String),
    /// No devices at all.
    #[error(
        "no device is named; name some of cpu, iaa, nx, cuda, dfltcc, iaa-model, nx-model, dfltcc-model and \
         cuda-host, with commas between them"
    )]
    Empty,
    /// The same device twice.
    #[error("{0} is named twice")]
    Twice(&'static str),
    /// A GPU and its host build.
    #[error("cuda and cuda-host can't be used together; name one of them")]
    TwoGpus,
    /// The environment variable's text is none of these.
    #[error("{DEVICES_VARIABLE}: {0}")]
    Variable(Box<ChoiceError>),
    /// Not a setting of the device.
    #[error("{device} has no setting {setting:?}; {settings}")]
    Setting {
        /// The device.
        device: &'static str,
        /// The setting as it was given.
        setting: String,
        /// The settings that it has.
        settings: &'static str,
    },
}

impl DeviceChoice {
    /// Returns the choice in [`DEVICES_VARIABLE`]; `None` if it is not set, or empty.
    ///
    /// # Errors
    /// It is set to text that is no choice.
    pub fn from_environment() -> Result<Option<DeviceChoice>, ChoiceError> {
        let text = std::env::var_os(DEVICES_VARIABLE).unwrap_or_default();
        match text.is_empty() {
            true => Ok(None),
            false => {
                let choice = text.to_string_lossy().parse();
                choice.map(Some).map_err(|error| ChoiceError::Variable(Box::new(error)))
            }
        }
    }

    /// Returns the devices, in the order in which they were named.
    pub fn wanted(&self) -> &[Wanted] {
        &self.wanted
    }

    /// Returns the choice as text that can be read again, with the devices' settings.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the CPU is one of them.
    pub fn has_cpu(&self) -> bool {
        self.wanted.contains(&Wanted::Cpu)
    }
}

impl Wanted {
    /// Returns whether it runs parts of queries as a GPU does.
    pub fn is_gpu(self) -> bool {
        matches!(self, Wanted::Cuda(_) | Wanted::CudaHost(_))
    }

    /// Returns its name, as in the metrics.
    pub fn name(self) -> &'static str {
        match self {
            Wanted::Cpu => "cpu",
            Wanted::Iaa(_) => "iaa",
            Wanted::IaaModel(_) => "iaa-model",
            Wanted::Dfltcc => "dfltcc",
            Wanted::DfltccModel(_) => "dfltcc-model",
            Wanted::Nx => "nx",
            Wanted::NxModel(_) => "nx-model",
            Wanted::Cuda(_) => "cuda",
            Wanted::CudaHost(_) => "cuda-host",
        }
    }
}

impl FromStr for Wanted {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Wanted, ChoiceError> {
        let mut parts = text.split(':');
        let mut wanted = match parts.next().map(str::trim) {
            Some("cpu") => Wanted::Cpu,
            Some("iaa") => Wanted::Iaa(IaaSettings::default()),
            Some("iaa-model") => Wanted::IaaModel(ModelSettings::default()),
            Some("dfltcc") => Wanted::Dfltcc,
            Some("dfltcc-model") => Wanted::DfltccModel(DfltccModelSettings::default()),
            Some("nx") => Wanted::Nx,
            Some("nx-model") => Wanted::NxModel(NxModelSettings::default()),
            Some("cuda") => Wanted::Cuda(CudaSettings::default()),
            Some("cuda-host") => Wanted::CudaHost(CudaHostSettings::default()),
            other => return Err(ChoiceError::Unknown(other.unwrap_or_default().to_owned())),
        };
        for setting in parts {
            let (device, settings) = (wanted.name(), settings::words(&wanted));
            let unknown = || ChoiceError::Setting { device, setting: setting.to_owned(), settings };
            let (name, value) = setting.split_once('=').ok_or_else(unknown)?;
            settings::set(&mut wanted, name.trim(), value.trim()).ok_or_else(unknown)?;
        }
        Ok(wanted)
    }
}

impl FromStr for DeviceChoice {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<DeviceChoice, ChoiceError> {
        if text.trim().is_empty() {
            return Err(ChoiceError::Empty);
        }
        let mut all: Vec<Wanted> = Vec::new();
        for part in text.split(',') {
            let wanted: Wanted = part.trim().parse()?;
            if all.iter().any(|other| other.name() == wanted.name()) {
                return Err(ChoiceError::Twice(wanted.name()));
            }
            all.push(wanted);
        }
        if all.iter().filter(|wanted| wanted.is_gpu()).count() > 1 {
            return Err(ChoiceError::TwoGpus);
        }
        let text = text.split(',').map(str::trim).collect::<Vec<_>>().join(",");
        Ok(DeviceChoice { wanted: all, text })
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.wanted.iter().map(|wanted| wanted.name()).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests;
