//! List of devices in the settings: `iaa`, `iaa:windows=try,cpu`, `nx-model:fault-every=7`.

use pelton_device_iaa::Windows;
use pelton_device_model::{dfltcc, iaa, nx};

/// The devices that are configured. `cpu` alone is the same as no setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Devices {
    /// Intel's IAA, and the windows that it accepts.
    pub iaa: Option<Windows>,
    /// The software model of an IAA.
    pub iaa_model: Option<iaa::Setup>,
    /// IBM's NX-GZIP.
    pub has_nx: bool,
    /// The software model of NX-GZIP.
    pub nx_model: Option<nx::Setup>,
    /// The DEFLATE instruction of IBM z15 and later.
    pub dfltcc: bool,
    /// The software model of that instruction.
    pub dfltcc_model: Option<dfltcc::Setup>,
    /// Whether the calling thread competes with the devices. Otherwise it is their fallback.
    pub has_cpu: bool,
}

/// The accepted values, for a warning.
pub const DEVICES: &str = "cpu, iaa, nx, dfltcc, iaa-model, nx-model and dfltcc-model, each once with commas between them; \
     iaa:windows=try, iaa-model:devices=2, nx-model:engines=2";

impl Devices {
    /// Parses a list.
    pub fn parse(list: &str) -> Option<Self> {
        let mut devices = Self::default();
        for part in list.split(',') {
            let mut words = part.split(':');
            let name = words.next().unwrap_or_default().trim();
            let mut pairs = words.map(|setting| {
                let (name, value) = setting.split_once('=')?;
                Some((name.trim(), value.trim()))
            });
            match name {
                "cpu" if !devices.has_cpu => {
                    devices.has_cpu = true;
                    pairs.next().is_none().then_some(())?;
                }
                "iaa" if devices.iaa.is_none() => {
                    let windows = devices.iaa.insert(Windows::default());
                    pairs.try_for_each(|pair| match pair? {
                        ("windows", value) => Windows::named(value).map(|named| *windows = named),
                        _ => None,
                    })?;
                }
                "iaa-model" if devices.iaa_model.is_none() => {
                    let setup = devices.iaa_model.insert(iaa::Setup::default());
                    pairs.try_for_each(|pair| pair.and_then(|(name, value)| setup.set(name, value)))?;
                }
                "nx" if !devices.has_nx => {
                    devices.has_nx = true;
                    pairs.next().is_none().then_some(())?;
                }
                "nx-model" if devices.nx_model.is_none() => {
                    let setup = devices.nx_model.insert(nx::Setup::default());
                    pairs.try_for_each(|pair| pair.and_then(|(name, value)| setup.set(name, value)))?;
                }
                "dfltcc" if !devices.dfltcc => {
                    devices.dfltcc = true;
                    pairs.next().is_none().then_some(())?;
                }
                "dfltcc-model" if devices.dfltcc_model.is_none() => {
                    let setup = devices.dfltcc_model.insert(dfltcc::Setup::default());
                    pairs.try_for_each(|pair| pair.and_then(|(name, value)| setup.set(name, value)))?;
                }
                _ => return None,
            }
        }
        Some(devices)
    }

    /// Returns whether no accelerator is configured.
    pub fn is_none(&self) -> bool {
        let Devices { iaa, iaa_model, has_nx, nx_model, dfltcc, dfltcc_model, has_cpu: _ } = self;
        let has_model = iaa_model.is_some() || nx_model.is_some() || dfltcc_model.is_some();
        iaa.is_none() && !has_nx && !dfltcc && !has_model
    }
}
