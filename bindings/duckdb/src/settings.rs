//! The extension's settings.

use pelton_registry::{DuckDb, Kind, MOST_THREADS, SETTINGS, Size};

use crate::error::{Error, Result};
use crate::sys::{self, ConfigOption, Connection, Type, Value, register_option};

/// Devices, threads and memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Settings {
    /// In the syntax of [`pelton_registry::DeviceChoice`]; `None` for all devices that the
    /// machine has.
    pub devices: Option<String>,
    /// Threads that compress on the CPU for COPY, and that read scan ranges.
    pub threads: usize,
    /// Limit on the bytes of scan ranges and pages.
    pub memory: Option<usize>,
}

/// Setting that stands for all devices that the machine has.
const AUTO: &str = "auto";

/// Threads if not even DuckDB states a number.
const FALLBACK_THREADS: usize = 1;

impl Settings {
    /// Reads the settings of a connection; the call's argument `device` precedes the setting.
    ///
    /// # Errors
    /// A setting has an invalid value.
    pub fn of(connection: &dyn sys::Settings, device: Option<String>) -> Result<Settings> {
        let text = |name| connection.setting(name).and_then(|value| value.as_text()).unwrap_or_default();
        let number = |name| connection.setting(name).and_then(|value| value.as_integer());
        let devices = device.unwrap_or_else(|| text("pelton_devices"));
        let devices = (devices.trim() != AUTO).then(|| devices.trim().to_owned());
        let threads = match number("pelton_threads") {
            None | Some(0) => duckdb_threads(number("threads")),
            Some(threads) => own_threads(threads)?,
        };
        let memory = match text("pelton_memory").trim() {
            "" => None,
            size => {
                let Size(bytes) =
                    size.parse().map_err(|e| Error::Argument(format!("pelton_memory is {size:?}: {e}")))?;
                Some(bytes)
            }
        };
        Ok(Settings { devices, threads, memory })
    }
}

/// Returns DuckDB's number of threads.
fn duckdb_threads(threads: Option<i64>) -> usize {
    let threads = threads.and_then(|threads| usize::try_from(threads).ok());
    threads.unwrap_or(FALLBACK_THREADS).clamp(1, MOST_THREADS)
}

/// Returns the number of threads that the setting states.
fn own_threads(threads: i64) -> Result<usize> {
    let found = usize::try_from(threads).ok().filter(|threads| (1..=MOST_THREADS).contains(threads));
    found.ok_or_else(|| {
        Error::Argument(format!(
            "pelton_threads is {threads}; set it to 1 to {MOST_THREADS}, or to 0 for as many as DuckDB has"
        ))
    })
}

/// Adds the settings to DuckDB's.
pub fn register(connection: &Connection) {
    for definition in SETTINGS {
        let Some(DuckDb { name, default, description }) = &definition.duckdb else { continue };
        let (of, default) = match (definition.kind, default.parse()) {
            (Kind::Count { .. }, Ok(number)) => (Type::BigInt, Value::integer(number)),
            _ => (Type::Varchar, Value::text(default)),
        };
        register_option(connection, &ConfigOption { name, description, of, default });
    }
}
