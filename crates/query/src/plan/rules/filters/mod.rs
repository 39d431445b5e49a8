//! Rules about conditions.

mod gated_pushdown;
mod guards;
mod in_lists;
mod regex_backslashes;
mod similar_to;
mod volatile_conditions;

pub(in crate::plan) use gated_pushdown::gated;
pub(in crate::plan) use guards::GuardedFilters;
pub(super) use guards::Guards;
pub(super) use in_lists::ListsWithNull;
pub(in crate::plan) use regex_backslashes::RegexBackslashes;
pub(in crate::plan) use similar_to::SimilarTo;
pub(super) use volatile_conditions::VolatileConditions;
