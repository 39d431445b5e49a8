//! Rules about conditions.

mod gated_pushdown;
mod guards;
mod in_lists;
mod patterns;
mod volatile_conditions;

pub(in crate::plan) use gated_pushdown::gated;
pub(in crate::plan) use guards::GuardedFilters;
pub(super) use guards::Guards;
pub(super) use in_lists::ListsWithNull;
pub(in crate::plan) use patterns::{RegexBackslashes, SimilarTo};
pub(super) use volatile_conditions::VolatileConditions;
