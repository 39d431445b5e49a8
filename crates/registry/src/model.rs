//! Models that are in use.

use std::sync::Arc;

use pelton_device_model::iaa::Model;
use pelton_job::Device;

use crate::RegistryError;
use crate::choice::{ModelSettings, Wanted};

/// A model that is in use.
pub struct Modelled {
    name: &'static str,
    model: Model,
}

impl Modelled {
    /// What its clock says, and which faults it met.
    pub fn report(&self) -> String {
        self.model.report(self.name)
    }
}

/// Builds the model and the driver over all its queues.
pub(crate) fn open(settings: ModelSettings) -> Result<(Arc<dyn Device>, Modelled), RegistryError> {
    let name = Wanted::IaaModel(settings).name();
    let (device, model) =
        settings.open(name).map_err(|error| RegistryError::Model { name, why: error.to_string() })?;
    Ok((device, Modelled { name, model }))
}
