//! Rules about aggregates, window functions and set operations.

mod clustered_groups;
mod computed_keys;
mod dense_groups;
mod distinct;
mod eager;
mod grouping;
mod grouping_sets;
mod lead_lag;
mod mergeable;
mod order_insensitive;
mod order_keys;
mod output;
mod rollups;
mod running_windows;
mod set_counts;
mod ungrouped;
pub(super) mod window_frames;
mod window_top_k;

pub(in crate::plan) use clustered_groups::ClusteredGroups;
pub(in crate::plan) use computed_keys::computed_keys;
pub(in crate::plan) use dense_groups::DenseGroups;
pub(super) use distinct::DistinctOnKeys;
pub(in crate::plan) use distinct::{DistinctAggregates, UnlimitSortedDistinct};
pub(in crate::plan) use eager::EagerAggregation;
pub(in crate::plan) use grouping::LimitedAggregates;
pub(in crate::plan) use grouping_sets::HideProperties;
pub(in crate::plan) use lead_lag::LeadLag;
pub(in crate::plan) use order_insensitive::OrderInsensitiveAggregates;
pub(in crate::plan) use rollups::RollUps;
pub(in crate::plan) use running_windows::RunningWindows;
pub(super) use set_counts::SetCounts;
pub(super) use ungrouped::TotalRows;
pub(in crate::plan) use ungrouped::filtered_totals;
pub(in crate::plan) use window_frames::PeerFrames;
pub(super) use window_frames::SlidingFrames;
pub(in crate::plan) use window_top_k::WindowTopK;
