//! Settings of a connection.

use pelton::{DeviceChoice, Engine, Size};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Settings of an engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    devices: Option<DeviceChoice>,
    threads: Option<usize>,
    memory: Option<usize>,
    verify_checksums: bool,
}

impl Settings {
    /// Reads Python's arguments; `None` is the default of each.
    ///
    /// # Errors
    /// `ValueError` for an invalid value, `TypeError` for another type.
    pub fn new(
        device: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        memory: Option<&Bound<'_, PyAny>>,
        verify_checksums: bool,
    ) -> PyResult<Self> {
        Ok(Settings {
            devices: device.map(devices).transpose()?.flatten(),
            threads: threads.map(|given| positive(given, "threads")).transpose()?,
            memory: memory.map(bytes).transpose()?,
            verify_checksums,
        })
    }

    /// Returns the number of threads, if one was asked for.
    pub fn threads(&self) -> Option<usize> {
        self.threads
    }

    /// Starts an engine.
    ///
    /// # Errors
    /// As [`pelton::EngineBuilder::build`].
    pub fn open(self) -> pelton::Result<Engine> {
        let mut builder = Engine::builder().verify_checksums(self.verify_checksums);
        if let Some(devices) = self.devices {
            builder = builder.devices(devices);
        }
        if let Some(threads) = self.threads {
            builder = builder.threads(threads);
        }
        if let Some(memory) = self.memory {
            builder = builder.memory_limit(memory);
        }
        builder.build()
    }
}

/// Returns the devices that a name, or a list of names, stands for. `"auto"` is `None`: the devices
/// of the environment, or all available.
///
/// # Errors
/// `ValueError` for an unknown name, `TypeError` for another type.
pub fn devices(given: &Bound<'_, PyAny>) -> PyResult<Option<DeviceChoice>> {
    let text = match given.extract::<String>() {
        Ok(text) => text,
        Err(_) => match given.extract::<Vec<String>>() {
            Ok(names) => names.join(","),
            Err(_) => {
                return Err(PyTypeError::new_err("device is a name such as \"cpu\", or a list of names"));
            }
        },
    };
    if text.trim() == "auto" {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|error: pelton::ChoiceError| PyValueError::new_err(error.to_string()))
}

/// Returns a whole number above zero.
pub fn positive(given: &Bound<'_, PyAny>, name: &str) -> PyResult<usize> {
    let number: i128 =
        given.extract().map_err(|_| PyTypeError::new_err(format!("{name} is a whole number, 1 or more")))?;
    let number = usize::try_from(number).ok().filter(|number| *number > 0);
    number.ok_or_else(|| PyValueError::new_err(format!("{name} is {given}; give 1 or more")))
}

fn bytes(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    match given.extract::<String>() {
        Ok(text) => {
            let size: Result<Size, String> = text.parse();
            size.map(|size| size.0).map_err(|why| PyValueError::new_err(format!("memory is {text:?}: {why}")))
        }
        Err(_) => {
            positive(given, "memory").map_err(|error| match error.is_instance_of::<PyTypeError>(given.py()) {
                true => PyTypeError::new_err("memory is a number of bytes, or text such as \"2GB\""),
                false => error,
            })
        }
    }
}
