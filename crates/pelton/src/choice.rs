//! Which devices somebody wants: `cpu,iaa`, `iaa-model:devices=2:fault-every=7`.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// The environment variable that has the devices to use, where nobody says otherwise.
pub const DEVICES_VARIABLE: &str = "PELTON_DEVICES";

/// Devices that a model may have: eight sockets, of which each has four on a Xeon 8488C, and twice as many for the next.
const MOST_DEVICES: usize = 64;

/// Devices to use, and no others: the router chooses among them by the time that it expects. Where the CPU is not one of
/// them it does what they don't take and what they fail, so that no query fails for want of it.
///
/// As text: names with commas between them, each with settings after colons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceChoice(Vec<Wanted>);

/// A device by name, with its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wanted {
    /// The processor.
    Cpu,
    /// Intel's In-Memory Analytics Accelerator.
    Iaa,
    /// The software model of an IAA: for tests, and for those who want to know what one would do. It is slower than the
    /// CPU, on which it runs.
    IaaModel(ModelSettings),
}

/// Settings of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelSettings {
    /// How many devices there are.
    pub devices: NonZeroUsize,
    /// Every job of this number, and its multiples, meets a fault, each of another kind; none does if unset.
    pub fault_every: Option<NonZeroUsize>,
}

impl Default for ModelSettings {
    /// One device without faults.
    fn default() -> ModelSettings {
        ModelSettings { devices: NonZeroUsize::MIN, fault_every: None }
    }
}

/// Why a choice of devices is none. Names what can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// No such device.
    #[error(
        "there is no device {0:?}; there are cpu, iaa and iaa-model, and `pelton devices` says more of each"
    )]
    Unknown(String),
    /// No devices at all.
    #[error("no device is named; name some of cpu, iaa and iaa-model, with commas between them")]
    Empty,
    /// The same device twice.
    #[error("{0} is named twice")]
    Twice(&'static str),
    /// Not a setting of the device.
    #[error(
        "{device} has no setting {setting:?}; only iaa-model has some: devices=N, 1 to 64, and fault-every=N, 1 or more"
    )]
    Setting {
        /// The device.
        device: &'static str,
        /// The setting as it was given.
        setting: String,
    },
}

impl DeviceChoice {
    /// The devices, in the order in which they were named.
    pub fn wanted(&self) -> &[Wanted] {
        &self.0
    }

    /// Whether the CPU is one of them.
    pub fn has_cpu(&self) -> bool {
        self.0.contains(&Wanted::Cpu)
    }
}

impl Wanted {
    /// Its name, as the counters have it.
    pub fn name(self) -> &'static str {
        match self {
            Wanted::Cpu => "cpu",
            Wanted::Iaa => "iaa",
            Wanted::IaaModel(_) => "iaa-model",
        }
    }
}

impl FromStr for Wanted {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Wanted, ChoiceError> {
        let mut parts = text.split(':');
        let mut wanted = match parts.next().map(str::trim) {
            Some("cpu") => Wanted::Cpu,
            Some("iaa") => Wanted::Iaa,
            Some("iaa-model") => Wanted::IaaModel(ModelSettings::default()),
            other => return Err(ChoiceError::Unknown(other.unwrap_or_default().to_owned())),
        };
        for setting in parts {
            let device = wanted.name();
            let unknown = || ChoiceError::Setting { device, setting: setting.to_owned() };
            let (name, value) = setting.split_once('=').ok_or_else(unknown)?;
            let value: NonZeroUsize = value.trim().parse().map_err(|_| unknown())?;
            if name.trim() == "devices" && value.get() > MOST_DEVICES {
                return Err(unknown());
            }
            match (&mut wanted, name.trim()) {
                (Wanted::IaaModel(settings), "devices") => settings.devices = value,
                (Wanted::IaaModel(settings), "fault-every") => settings.fault_every = Some(value),
                _ => return Err(unknown()),
            }
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
        Ok(DeviceChoice(all))
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|wanted| wanted.name()).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<DeviceChoice, ChoiceError> {
        text.parse()
    }

    #[test]
    fn names_and_settings() {
        assert_eq!(parse("cpu").unwrap().wanted(), [Wanted::Cpu]);
        let choice = parse(" iaa , cpu").unwrap();
        assert_eq!(choice.wanted(), [Wanted::Iaa, Wanted::Cpu]);
        assert!(choice.has_cpu());
        let settings = ModelSettings { devices: 4.try_into().unwrap(), fault_every: 7.try_into().ok() };
        let choice = parse("iaa-model:devices=4:fault-every=7").unwrap();
        assert_eq!(choice.wanted(), [Wanted::IaaModel(settings)]);
        assert!(!choice.has_cpu());
        assert_eq!(choice.to_string(), "iaa-model");
    }

    #[test]
    fn what_is_none_is_an_error_that_says_what_there_is() {
        for (text, start) in [
            ("gpu", "there is no device \"gpu\"; there are cpu, iaa"),
            ("cpu,", "there is no device \"\""),
            ("CPU", "there is no device \"CPU\""),
            (" ", "no device is named"),
            ("cpu,cpu", "cpu is named twice"),
            ("iaa:devices=2", "iaa has no setting \"devices=2\""),
            ("iaa-model:devices", "iaa-model has no setting \"devices\""),
            ("iaa-model:devices=0", "iaa-model has no setting \"devices=0\""),
            ("iaa-model:devices=65", "iaa-model has no setting \"devices=65\""),
            ("iaa-model:speed=9", "iaa-model has no setting \"speed=9\""),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with(start), "{text:?}: {error}");
        }
    }
}
