//! Registration of the scan and of COPY through the best of DuckDB's interfaces that it has.

use std::sync::{Mutex, PoisonError};

use crate::copy::PeltonCopy;
use crate::scan::PeltonScan;
use crate::sys::second::{self, Extension};
use crate::sys::{self, ConfigOption, Connection, Type, Value, register_option};

/// Environment variable that chooses the interface: `first`, `second` or `native`. Without it, the
/// best one that DuckDB has is used.
const VARIABLE: &str = "PELTON_DUCKDB_INTERFACE";

/// The interface that the extension was last loaded by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// Its name.
    pub name: &'static str,
    /// The reasons for not using a better one.
    pub reason: Option<String>,
}

static LAST: Mutex<Interface> = Mutex::new(Interface { name: "first", reason: None });

/// Registers the scan and COPY.
///
/// # Errors
/// DuckDB rejects them, or has no such interface as the environment requires.
pub fn register(connection: &Connection) -> Result<(), String> {
    let wanted = std::env::var_os(VARIABLE).map(|wanted| wanted.to_string_lossy().into_owned());
    let is_wanted = |name| wanted.as_deref().is_none_or(|wanted| wanted == name);
    if let Some(other) = wanted.as_deref()
        && !["first", "second", "native"].contains(&other)
    {
        return Err(format!("{VARIABLE} is {other:?}; there are first, second and native"));
    }
    let chosen = || format!("{VARIABLE} is {}", wanted.as_deref().unwrap_or_default());
    let native =
        if is_wanted("native") { sys::native::register::<PeltonScan>(connection) } else { Err(chosen()) };
    if let Err(error) = &native
        && wanted.as_deref() == Some("native")
    {
        return Err(error.clone());
    }
    if native.is_ok() {
        register_option(connection, &replace());
    }
    // COPY takes the second interface in any case.
    let enter = if native.is_ok() { enter_copy } else { enter_all };
    let second = match wanted.as_deref() {
        Some("first") => Err(chosen()),
        _ => second::load(connection, enter),
    };
    if let Err(error) = &second {
        if wanted.as_deref() == Some("second") {
            return Err(error.clone());
        }
        if native.is_err() {
            sys::register::<PeltonScan>(connection)?;
        }
        sys::register_copy::<PeltonCopy>(connection)?;
    }
    let interface = match (native, second) {
        (Ok(()), _) => Interface { name: "native", reason: None },
        (Err(reason), Ok(())) => Interface { name: "second", reason: Some(reason) },
        (Err(native), Err(second)) => Interface { name: "first", reason: Some(reasons(native, second)) },
    };
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = interface;
    Ok(())
}

/// Returns the setting by which the native layer reads the files of `read_parquet`.
fn replace() -> ConfigOption {
    ConfigOption {
        name: "pelton_replace",
        description: "Read the files of read_parquet and FROM 'x.parquet' by pelton_scan, as far as it has the options",
        of: Type::Boolean,
        default: Value::boolean(false),
    }
}

fn reasons(native: String, second: String) -> String {
    if native == second { native } else { format!("{native}; {second}") }
}

/// Returns the interface that the extension was last loaded by.
pub fn last() -> Interface {
    LAST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Enters the extension from DuckDB's second interface, for the scan and COPY.
///
/// # Safety
/// Only DuckDB may call this, through the bridge.
#[allow(unsafe_code)]
unsafe extern "C" fn enter_all(input: *mut second::Input) {
    let register = |extension: &Extension| {
        second::register::<PeltonScan>(extension)?;
        second::register_copy::<PeltonCopy>(extension, "parquet")
    };
    // SAFETY: the caller's.
    unsafe { second::enter(input, register) }
}

/// Enters the extension from DuckDB's second interface, for COPY.
///
/// # Safety
/// Only DuckDB may call this, through the bridge.
#[allow(unsafe_code)]
unsafe extern "C" fn enter_copy(input: *mut second::Input) {
    let register = |extension: &Extension| second::register_copy::<PeltonCopy>(extension, "parquet");
    // SAFETY: the caller's.
    unsafe { second::enter(input, register) }
}
