//! Diagnosis of this machine: whether it has the instruction, or the reason that it has none.

use std::sync::Arc;

use pelton_job::Device;

use crate::call::Call;
use crate::device::{DfltccDevice, Options};
use crate::error::DfltccError;

/// Report on the instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// `dfltcc`.
    pub name: String,
    /// Whether this process can use it.
    pub usable: bool,
    /// Description, or the reason that it is missing.
    pub detail: String,
    /// Commands that enable it.
    pub enable: Vec<String>,
}

/// Returns the report on the instruction of this machine.
pub fn report() -> Row {
    let name = Options::default().name;
    match find() {
        Ok(device) => Row { name, usable: true, detail: device.description(), enable: Vec::new() },
        Err(Blocker { detail, enable }) => Row { name, usable: false, detail, enable },
    }
}

/// Returns a device over the instruction of this machine.
///
/// # Errors
/// The reason that there is none, in one line.
pub fn open() -> Result<Arc<DfltccDevice>, String> {
    find().map_err(|why| format!("{}: {}", Options::default().name, why.detail))
}

/// Reason why the instruction can't be used, with the commands that mend it.
struct Blocker {
    detail: String,
    enable: Vec<String>,
}

impl Blocker {
    /// Returns the blocker for a reason. `system` is Linux's description of the machine and its
    /// hypervisors.
    fn new(reason: &str, system: &str) -> Blocker {
        let (hint, enable) = match () {
            // The row of the innermost hypervisor.
            () if system.contains("KVM/Linux") => (
                "on the host, give this guest the host's CPU model, and start it again",
                vec![
                    "sudo virt-xml GUEST --edit --cpu host-model".to_owned(),
                    "sudo virsh shutdown GUEST && sudo virsh start GUEST".to_owned(),
                ],
            ),
            () if system.contains("z/VM") => (
                "a guest of z/VM needs a version that passes the facility on",
                vec!["vmcp query cplevel".to_owned()],
            ),
            () => ("IBM Z has it from the z15 on", Vec::new()),
        };
        Blocker { detail: format!("{reason}; {hint}"), enable }
    }
}

/// Linux's description of the machine and its hypervisors.
const SYSTEM: &str = "/proc/sysinfo";

fn find() -> Result<Arc<DfltccDevice>, Blocker> {
    let found = DfltccDevice::new(processor()?, Options::default());
    found.map_err(|error| {
        let reason = match error {
            DfltccError::Missing(name) => format!("the processor's DFLTCC lacks {name}"),
            other => other.to_string(),
        };
        Blocker::new(&reason, &read_system())
    })
}

fn read_system() -> String {
    std::fs::read_to_string(SYSTEM).unwrap_or_default()
}

#[cfg(target_arch = "s390x")]
fn processor() -> Result<Arc<dyn Call>, Blocker> {
    match crate::sys::Processor::find() {
        Some(processor) => Ok(Arc::new(processor)),
        None => Err(Blocker::new("no DFLTCC instruction (facility 151)", &read_system())),
    }
}

#[cfg(not(target_arch = "s390x"))]
fn processor() -> Result<Arc<dyn Call>, Blocker> {
    let arch = std::env::consts::ARCH;
    let detail = format!(
        "no DFLTCC instruction: IBM Z has it from the z15 on, and this is another architecture ({arch})"
    );
    Err(Blocker { detail, enable: Vec::new() })
}

#[cfg(test)]
mod tests;
