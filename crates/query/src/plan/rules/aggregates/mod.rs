//! Rules about aggregates, window functions and set operations.

mod computed_keys;
mod distinct;
mod grouping_sets;
mod orderless;
mod set_counts;
mod shifts;
mod ungrouped;
pub(super) mod window_frames;

pub(in crate::plan) use computed_keys::computed_keys;
pub(super) use distinct::DistinctOnKeys;
pub(in crate::plan) use distinct::{DistinctAggregates, UnlimitSortedDistinct};
pub(in crate::plan) use grouping_sets::HideClaims;
pub(in crate::plan) use orderless::OrderlessAggregates;
pub(super) use set_counts::SetCounts;
pub(in crate::plan) use shifts::Shifts;
pub(super) use ungrouped::TotalRows;
pub(in crate::plan) use ungrouped::filtered_totals;
pub(super) use window_frames::MovingFrames;
pub(in crate::plan) use window_frames::PeerFrames;
