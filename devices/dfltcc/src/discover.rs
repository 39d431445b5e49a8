//! Diagnosis of this machine: whether it has the instruction, or the reason that it has none.

use std::sync::Arc;

use crate::call::{Call, Function};
use crate::device::{DfltccDevice, Options};

/// The functions that the driver uses, which every processor with the instruction has.
const FUNCTIONS: [(Function, &str); 3] =
    [(Function::GenerateTable, "GDHT"), (Function::Compress, "CMPR"), (Function::Expand, "XPND")];

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
    let (usable, detail) = match processor() {
        Ok(_) => (true, Options::default().place),
        Err(why) => (false, why),
    };
    Row { name: Options::default().name, usable, detail }
}

/// Returns a device over the instruction of this machine.
///
/// # Errors
/// The reason that there is none, in one line.
pub fn open() -> Result<Arc<DfltccDevice>, String> {
    let call = processor().map_err(|why| format!("dfltcc: {why}"))?;
    Ok(DfltccDevice::new(call, Options::default()))
}

#[cfg(target_arch = "s390x")]
fn processor() -> Result<Arc<dyn Call>, String> {
    match crate::sys::is_installed() {
        true => check(Arc::new(crate::sys::Processor)),
        false => Err("this processor or its hypervisor has no DFLTCC (facility 151); IBM Z has it from the z15 \
            on, and a guest of KVM needs a CPU model with it"
            .to_owned()),
    }
}

#[cfg(not(target_arch = "s390x"))]
fn processor() -> Result<Arc<dyn Call>, String> {
    let arch = std::env::consts::ARCH;
    Err(format!("no DFLTCC instruction: IBM Z has it from the z15 on, and this is another architecture ({arch})"))
}

/// Checks that an implementation has everything that the driver uses.
#[cfg_attr(not(any(test, target_arch = "s390x")), expect(dead_code))]
fn check(call: Arc<dyn Call>) -> Result<Arc<dyn Call>, String> {
    let available = call.available();
    if !available.has_format_0() {
        return Err("the processor's DFLTCC has no parameter block of format 0, the only one known to Pelton".into());
    }
    match FUNCTIONS.iter().find(|(function, _)| !available.has(*function)) {
        Some((_, name)) => Err(format!("the processor's DFLTCC has no function {name}, as a hypervisor may decide")),
        None => Ok(call),
    }
}

#[cfg(test)]
mod tests;
