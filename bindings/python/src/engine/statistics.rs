//! Devices and their counts, as dicts of Python.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::handle::Handle;

/// Returns the devices that Pelton knows of.
///
/// # Errors
/// Another process made the engine.
pub fn devices<'py>(py: Python<'py>, handle: &Handle) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let engine = handle.engine(py)?;
    let dict = |device: pelton::DeviceReport| {
        let dict = PyDict::new(py);
        dict.set_item("name", device.name)?;
        dict.set_item("available", device.available)?;
        dict.set_item("detail", device.detail)?;
        dict.set_item("enable", device.enable)?;
        Ok(dict)
    };
    engine.devices().into_iter().map(dict).collect()
}

/// Returns the counts of each device.
///
/// # Errors
/// Another process made the engine.
pub fn stats<'py>(py: Python<'py>, handle: &Handle) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let counters = handle.engine(py)?.router().counters();
    let mut rows = Vec::new();
    for device in &counters.devices {
        for counts in &device.rows {
            let dict = PyDict::new(py);
            dict.set_item("device", &*device.device)?;
            dict.set_item("operation", counts.operation)?;
            dict.set_item("format", counts.format)?;
            dict.set_item("tried", counts.tried)?;
            dict.set_item("done", counts.done)?;
            dict.set_item("side_by_side", counts.interleaved)?;
            dict.set_item("failed", counts.failed)?;
            dict.set_item("cancelled", counts.cancelled)?;
            dict.set_item("refused", counts.refused.clone())?;
            dict.set_item("fell_back", counts.fell_back.clone())?;
            dict.set_item("bytes_in", counts.bytes_in)?;
            dict.set_item("bytes_out", counts.bytes_out)?;
            dict.set_item("seconds", counts.time.as_secs_f64())?;
            rows.push(dict);
        }
    }
    Ok(rows)
}
