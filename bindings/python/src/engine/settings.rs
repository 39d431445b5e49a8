//! Settings of a connection: Python's arguments, read by the settings' own definitions.

use pelton::settings::{
    self, DEVICE, Definition, Kind, MEMORY, SETTINGS, THREADS, Value, did_you_mean, find,
};
use pelton::{DeviceChoice, Engine};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};

/// Settings of an engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    values: settings::Settings,
}

impl Settings {
    /// Reads the arguments of the package's functions; `None` is the default of each.
    ///
    /// # Errors
    /// `ValueError` for an invalid value, `TypeError` for another type.
    pub fn new(
        device: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        memory: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut settings = Self::default();
        for (definition, given) in [(&DEVICE, device), (&THREADS, threads), (&MEMORY, memory)] {
            given.map_or(Ok(()), |given| settings.set(definition, given))?;
        }
        Ok(settings)
    }

    /// Reads the arguments of `connect`, by their names.
    ///
    /// # Errors
    /// As [`Settings::new`], and `TypeError` for an unknown name.
    pub fn from_arguments(arguments: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut settings = Self::default();
        for (name, given) in arguments.into_iter().flatten() {
            settings.set(argument(&name.extract::<String>()?)?, &given)?;
        }
        Ok(settings)
    }

    fn set(&mut self, definition: &'static Definition, given: &Bound<'_, PyAny>) -> PyResult<()> {
        if given.is_none() {
            return Ok(());
        }
        let value = match definition.name == DEVICE.name {
            true => devices(given)?.map(|choice| Value::Text(choice.text().to_owned())),
            false => {
                let value = definition.parse(&text(definition, given)?);
                Some(value.map_err(|error| PyValueError::new_err(error.to_string()))?)
            }
        };
        if let Some(value) = value {
            self.values.set(definition, value);
        }
        Ok(())
    }

    /// Returns the number of threads, if one was asked for.
    pub fn threads(&self) -> Option<usize> {
        self.values.count(&THREADS)
    }

    /// Starts an engine.
    ///
    /// # Errors
    /// As [`pelton::EngineBuilder::build`].
    pub fn open(self) -> pelton::Result<Engine> {
        Engine::builder().settings(self.values)?.build()
    }
}

/// Returns the setting of an argument of `connect`.
fn argument(name: &str) -> PyResult<&'static Definition> {
    let arguments = || SETTINGS.iter().copied().filter(|definition| definition.in_python);
    if let Some(definition) = arguments().find(|definition| definition.name == name) {
        return Ok(definition);
    }
    let next = match find(name) {
        Ok((definition, _)) if definition.in_python => format!("write {}", definition.name),
        Ok(_) => format!("run SET {name} = ... on the connection"),
        Err(_) => did_you_mean(name, arguments().map(|definition| definition.name)).unwrap_or_else(|| {
            let names: Vec<_> = arguments().map(|definition| definition.name).collect();
            format!("it has {}", names.join(", "))
        }),
    };
    Err(PyTypeError::new_err(format!("connect has no argument {name}: {next}")))
}

/// Returns an argument as text that the setting's definition reads.
fn text(definition: &Definition, given: &Bound<'_, PyAny>) -> PyResult<String> {
    let is_text = given.is_instance_of::<PyString>();
    let is_switch = given.is_instance_of::<PyBool>();
    let is_number = given.is_instance_of::<PyInt>() && !is_switch;
    let (fits, expected) = match definition.kind {
        Kind::Count { least, .. } => (is_number, format!("a whole number, {least} or more")),
        Kind::Size => (is_number || is_text, "a number of bytes, or text such as \"2GB\"".to_owned()),
        Kind::Switch => (is_switch || is_text, "True or False".to_owned()),
        Kind::Text | Kind::Choice(_) | Kind::Server | Kind::Zone | Kind::Secret => {
            (is_text, "text".to_owned())
        }
    };
    match fits {
        true => Ok(given.str()?.to_str()?.to_owned()),
        false => Err(PyTypeError::new_err(format!("{} is {expected}", definition.name))),
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
