//! What users set, and the machine that each combination of settings gets.

use pelton_machine::Size;

use crate::error::{Error, Result};
use crate::sys::{ConfigOption, Connection, Context, Type, Value, register_option};

/// Devices, threads and memory: what a machine is made of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Settings {
    /// As [`pelton_machine::DeviceChoice`] reads them; `None`: what the machine has.
    pub devices: Option<String>,
    /// Threads that decompress on the CPU.
    pub threads: usize,
    /// Bytes that windows and pages may take.
    pub memory: Option<usize>,
}

/// The word for all devices that the machine has.
const AUTO: &str = "auto";

/// Threads where nobody, not even DuckDB, says how many.
const FALLBACK_THREADS: usize = 1;

impl Settings {
    /// Those of a connection; `device` is the argument of the call, which goes before the setting.
    ///
    /// # Errors
    /// A setting can't be what it is.
    pub fn of(context: &Context, device: Option<String>) -> Result<Settings> {
        let text = |name| context.setting(name).and_then(|value| value.as_text()).unwrap_or_default();
        let number = |name| context.setting(name).and_then(|value| value.as_integer());
        let devices = device.unwrap_or_else(|| text("pelton_devices"));
        let devices = (devices.trim() != AUTO).then(|| devices.trim().to_owned());
        let threads = match number("pelton_threads") {
            None | Some(0) => number("threads").and_then(|threads| usize::try_from(threads).ok()),
            Some(threads) => Some(usize::try_from(threads).map_err(|_| {
                Error::Argument(format!(
                    "pelton_threads is {threads}; set it to 1 or more, or to 0 for as many as DuckDB has"
                ))
            })?),
        };
        let memory = match text("pelton_memory").trim() {
            "" => None,
            size => {
                let Size(bytes) =
                    size.parse().map_err(|e| Error::Argument(format!("pelton_memory is {size:?}: {e}")))?;
                Some(bytes)
            }
        };
        Ok(Settings { devices, threads: threads.unwrap_or(FALLBACK_THREADS).max(1), memory })
    }
}

/// Adds the settings to DuckDB's.
pub fn register(connection: &Connection) {
    let options = [
        ConfigOption {
            name: "pelton_devices",
            description: "The devices that Pelton decompresses with, such as 'cpu,iaa'; 'auto': all that the machine has",
            of: Type::Varchar,
            default: Value::text(AUTO),
        },
        ConfigOption {
            name: "pelton_threads",
            description: "Threads that Pelton decompresses with on the CPU; 0: as many as DuckDB has",
            of: Type::BigInt,
            default: Value::integer(0),
        },
        ConfigOption {
            name: "pelton_memory",
            description: "Memory that Pelton's scans may take, such as '2GB'; '': no bound but two windows a thread",
            of: Type::Varchar,
            default: Value::text(""),
        },
    ];
    options.iter().for_each(|option| register_option(connection, option));
}
