//! Diagnosis of this machine: whether it has the instruction, or the reason that it has none.

use std::sync::Arc;

use pelton_job::Device;

use crate::call::Call;
use crate::device::{DfltccDevice, Options};

/// Report on the instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// `dfltcc`.
    pub name: String,
    /// Whether this process can use it.
    pub usable: bool,
    /// Description, or the reason that it is missing.
    pub detail: String,
}

/// Returns the report on the instruction of this machine.
pub fn report() -> Row {
    let name = Options::default().name;
    match find() {
        Ok(device) => Row { name, usable: true, detail: device.description() },
        Err(detail) => Row { name, usable: false, detail },
    }
}

/// Returns a device over the instruction of this machine.
///
/// # Errors
/// The reason that there is none, in one line.
pub fn open() -> Result<Arc<DfltccDevice>, String> {
    find().map_err(|why| format!("{}: {why}", Options::default().name))
}

fn find() -> Result<Arc<DfltccDevice>, String> {
    DfltccDevice::new(processor()?, Options::default()).map_err(|error| error.to_string())
}

#[cfg(target_arch = "s390x")]
fn processor() -> Result<Arc<dyn Call>, String> {
    match crate::sys::Processor::find() {
        Some(processor) => Ok(Arc::new(processor)),
        None => Err(
            "this processor or its hypervisor has no DFLTCC (facility 151); IBM Z has it from the z15 on, \
            and a guest of KVM needs a CPU model with it"
                .to_owned(),
        ),
    }
}

#[cfg(not(target_arch = "s390x"))]
fn processor() -> Result<Arc<dyn Call>, String> {
    let arch = std::env::consts::ARCH;
    Err(format!(
        "no DFLTCC instruction: IBM Z has it from the z15 on, and this is another architecture ({arch})"
    ))
}

#[cfg(test)]
#[cfg(not(target_arch = "s390x"))]
mod tests;
