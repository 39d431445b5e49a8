//! Device registry: opens the devices that a user named, and makes the router over them.
//!
//! [`open`] opens the devices of a [`DeviceChoice`], and [`Opened::router`] makes the router.
//! Everything that decompresses starts here: the engine, and the extension for DuckDB, which has no
//! engine of Pelton's. [`accelerators`] lists missing devices too, with the commands that enable
//! them.
#![forbid(unsafe_code)]

mod choice;
pub mod figures;
mod gpu;
mod open;
mod report;
mod threads;

pub use choice::{
    ChoiceError, CudaHostSettings, CudaSettings, DEVICES_VARIABLE, DeviceChoice, IaaSettings, ModelSettings,
    NxModelSettings, Wanted,
};
pub use gpu::OpenGpu;
pub use open::{Modelled, Opened, accelerators, open};
pub use pelton_device_iaa::Windows;
pub use pelton_settings::{DuckDb, Kind, MOST_THREADS, SETTINGS, Size};
pub use report::{DeviceReport, RegistryError, without};
pub use threads::runtime;
