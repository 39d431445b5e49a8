//! The devices of this machine: which are wanted, which are there, and the router over them.
//!
//! A user's [`DeviceChoice`] goes to [`open`], and what that gives makes a router of itself
//! ([`Opened::router`]). Everything that decompresses starts here: the engine, and the extension
//! for DuckDB, which has no engine of Pelton's. [`accelerators`] says what the machine hasn't, and
//! what would enable it.
#![forbid(unsafe_code)]

mod choice;
pub mod figures;
mod gpu;
mod open;
mod report;
mod size;
mod threads;

pub use choice::{
    ChoiceError, CudaHostSettings, CudaSettings, DEVICES_VARIABLE, DeviceChoice, IaaSettings, ModelSettings,
    Wanted,
};
pub use gpu::OpenGpu;
pub use open::{Modelled, Opened, accelerators, open};
pub use pelton_device_iaa::Windows;
pub use report::{DeviceReport, RegistryError, without};
pub use size::Size;
pub use threads::{MOST_THREADS, runtime};
