//! Relations of FROM that DataFusion lacks: samples and ASOF joins.

mod asof;
mod samples;

pub(super) use asof::AsOfJoins;
pub(super) use samples::SampledRelations;
