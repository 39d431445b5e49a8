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
    let is_wanted = |name: &str| wanted.as_deref().is_none_or(|wanted| wanted == name);
    if let Some(other) = wanted.as_deref()
        && !["first", "second", "native"].contains(&other)
    {
        return Err(format!("{VARIABLE} is {other:?}; there are first, second and native"));
    }
    let chosen = || format!("{VARIABLE} is {}", wanted.as_deref().unwrap_or_default());
    let interface = match (by_native(connection, &is_wanted), wanted.as_deref()) {
        (Some(Ok(())), _) => Interface { name: "native", reason: None },
        (Some(Err(reason)), Some("native")) => return Err(reason),
        (native, _) => {
            let native = native.and_then(Result::err).unwrap_or_else(chosen);
            match if is_wanted("second") { second::load(connection, enter) } else { Err(chosen()) } {
                Ok(()) => Interface { name: "second", reason: Some(native) },
                Err(reason) if wanted.as_deref() == Some("second") => return Err(reason),
                Err(second) => {
                    sys::register::<PeltonScan>(connection)?;
                    sys::register_copy::<PeltonCopy>(connection)?;
                    Interface { name: "first", reason: Some(reasons(native, second)) }
                }
            }
        }
    };
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = interface;
    Ok(())
}

/// Registers the scan, COPY and the setting of the native layer; `None` if another interface is
/// wanted.
fn by_native(connection: &Connection, is_wanted: &dyn Fn(&str) -> bool) -> Option<Result<(), String>> {
    let register = || {
        sys::native::register::<PeltonScan, PeltonCopy>(connection)?;
        register_option(connection, &replace());
        Ok(())
    };
    is_wanted("native").then(register)
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

/// Enters the extension from DuckDB's second interface.
///
/// # Safety
/// Only DuckDB may call this, through the bridge.
#[allow(unsafe_code)]
unsafe extern "C" fn enter(input: *mut second::Input) {
    let register = |extension: &Extension| {
        second::register::<PeltonScan>(extension)?;
        second::register_copy::<PeltonCopy>(extension, "parquet")
    };
    // SAFETY: the caller's.
    unsafe { second::enter(input, register) }
}
