//! Rules about joins.

mod built_keys;
mod cooperative_yield;
mod cross_joins;
mod join_filter_barrier;
mod join_key_bitmaps;
mod join_orders;
mod join_tree;
mod large_broadcasts;
mod loop_joins;
mod null_safe_joins;
mod outer_joins;
mod set_joins;
mod skipped_partitions;

pub(in crate::plan::rules) use built_keys::{BuildSide, BuiltKeys, KeyedJoin, SeenKeys};
pub(in crate::plan) use cooperative_yield::{CooperativeYield, YieldExec};
pub(in crate::plan) use join_filter_barrier::JoinFilterBarrier;
pub(in crate::plan) use join_key_bitmaps::JoinKeyBitmaps;
pub(in crate::plan) use join_orders::join_orders;
pub(in crate::plan) use join_tree::JoinOrder;
pub(in crate::plan::rules) use join_tree::{Tables, different, rows};
pub(in crate::plan) use large_broadcasts::LargeBroadcasts;
pub(in crate::plan) use loop_joins::SpillLoopJoins;
pub(in crate::plan) use null_safe_joins::optimizer_rules;
pub(in crate::plan) use set_joins::SetJoins;
pub(in crate::plan) use skipped_partitions::SkippedPartitions;
pub(in crate::plan::rules) use skipped_partitions::reads_all_partitions;
