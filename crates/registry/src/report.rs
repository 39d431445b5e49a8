//! Reports on devices, and errors of opening them.

/// Report on a device that Pelton knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceReport {
    /// Its name, as the counters have it.
    pub name: String,
    /// Whether it is present and can be used.
    pub available: bool,
    /// Its description, or the reason that it is missing.
    pub detail: String,
    /// Commands that would enable it, or make it faster, one after another.
    pub enable: Vec<String>,
}

/// Reason that a named device can't be used.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The device is missing, or this process may not use it. The text names the next step.
    #[error("there is no device {0}")]
    Missing(String),
    /// A software model did not start.
    #[error("cannot start the device {name}: {why}")]
    Model {
        /// The model.
        name: &'static str,
        /// Why.
        why: String,
    },
}

/// Returns the note for a GPU that can't be used.
pub fn without(name: &str, why: &str) -> String {
    format!("{name} can't be used, and the CPU runs all queries: {}", one_line(why))
}

/// Joins the lines of a text, such as a compiler's log.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
