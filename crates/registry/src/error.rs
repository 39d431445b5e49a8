//! Devices that can't be had.

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
