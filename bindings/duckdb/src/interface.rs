//! Registration of the scan and of COPY through one of DuckDB's two interfaces: the second one
//! where DuckDB has it.

use std::sync::{Mutex, PoisonError};

use crate::copy::PeltonCopy;
use crate::scan::PeltonScan;
use crate::sys::second::{self, Extension};
use crate::sys::{self, Connection};

/// Environment variable that chooses the interface: `first` or `second`. Without it, the first is
/// used where the second fails.
const VARIABLE: &str = "PELTON_DUCKDB_INTERFACE";

/// Reason why the last load of the extension had no second interface; `None` if it had.
static WITHOUT_SECOND: Mutex<Option<String>> = Mutex::new(None);

/// Registers the scan and COPY.
///
/// # Errors
/// DuckDB rejects them, or has no second interface although the environment requires it.
pub fn register(connection: &Connection) -> Result<(), String> {
    let wanted = std::env::var_os(VARIABLE).map(|wanted| wanted.to_string_lossy().into_owned());
    let failure = match wanted.as_deref() {
        Some("first") => Some(format!("{VARIABLE} is first")),
        Some("second") => second::load(connection, enter).map(|()| None)?,
        None => second::load(connection, enter).err(),
        Some(other) => return Err(format!("{VARIABLE} is {other:?}; there are first and second")),
    };
    if failure.is_some() {
        sys::register::<PeltonScan>(connection)?;
        sys::register_copy::<PeltonCopy>(connection)?;
    }
    *WITHOUT_SECOND.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    Ok(())
}

/// Returns the reason why the last load of the extension had no second interface; `None` if it had.
pub fn without_second() -> Option<String> {
    WITHOUT_SECOND.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Enters the extension from DuckDB's second interface.
///
/// # Safety
/// Only DuckDB may call this, through the bridge.
#[allow(unsafe_code)]
unsafe extern "C" fn enter(input: *mut second::Input) {
    // SAFETY: the caller's.
    unsafe { second::enter(input, register_second) }
}

fn register_second(extension: &Extension) -> Result<(), String> {
    second::register::<PeltonScan>(extension)?;
    second::register_copy::<PeltonCopy>(extension, "parquet")
}
