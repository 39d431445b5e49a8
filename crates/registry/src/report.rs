//! Reports on devices: those that were opened, and errors for those that can't be.

/// One device that Pelton knows of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceReport {
    /// Its name, as the counters have it.
    pub name: String,
    /// Whether it is there and can be used.
    pub available: bool,
    /// What it is, or why it is not there.
    pub detail: String,
    /// Commands that would enable it, or make it faster, one after another.
    pub enable: Vec<String>,
}

/// Why a device that was asked for can't be used.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The machine hasn't it, or this process may not use it; says what would enable it.
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

/// The note where a GPU can't be used.
pub fn without(name: &str, why: &str) -> String {
    format!("{name} can't be used, and the CPU runs all queries: {}", one_line(why))
}

/// A compiler's log has many lines; ours are one.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
