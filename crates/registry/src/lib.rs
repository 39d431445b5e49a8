//! The devices of this machine: which are wanted, which are there, and the router over them.
//!
//! A user's [`DeviceChoice`] goes to [`open`], and what that gives makes a router of itself
//! ([`Opened::router`]). Everything that decompresses starts here: the engine, and the extension
//! for DuckDB, which has no engine of Pelton's. [`accelerators`] says what the machine hasn't, and
//! what would enable it.
#![forbid(unsafe_code)]

mod choice;
mod error;
pub mod figures;
mod gpu;
mod memory;
mod model;
mod open;
mod size;
mod threads;

pub use choice::{
    ChoiceError, CudaHostSettings, CudaSettings, DEVICES_VARIABLE, DeviceChoice, IaaSettings, ModelSettings,
    Wanted,
};
pub use error::RegistryError;
pub use gpu::OpenGpu;
pub use model::Modelled;
pub use open::{DeviceReport, Opened, accelerators, open, without};
pub use pelton_device_iaa::Windows;
pub use size::Size;
pub use threads::{MOST_THREADS, runtime};
