//! Rules about aggregates, window functions and set operations.

mod computed_keys;
mod distinct_aggregates;
mod distinct_limits;
mod distinct_on;
mod filtered_totals;
mod grouping_sets;
mod moving_frames;
mod orderless;
mod peer_frames;
mod set_counts;
mod shifts;
mod total_rows;
pub(super) mod whole_partitions;

pub(in crate::plan) use computed_keys::computed_keys;
pub(in crate::plan) use distinct_aggregates::DistinctAggregates;
pub(in crate::plan) use distinct_limits::UnlimitSortedDistinct;
pub(super) use distinct_on::DistinctOnKeys;
pub(in crate::plan) use filtered_totals::filtered_totals;
pub(in crate::plan) use grouping_sets::HideClaims;
pub(super) use moving_frames::MovingFrames;
pub(in crate::plan) use orderless::OrderlessAggregates;
pub(in crate::plan) use peer_frames::PeerFrames;
pub(super) use set_counts::SetCounts;
pub(in crate::plan) use shifts::Shifts;
pub(super) use total_rows::TotalRows;
