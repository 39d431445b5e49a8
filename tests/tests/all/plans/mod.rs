//! Rules over plans with a setting each: the rows are the same with the rule and without it.

mod aggregate_partitions;
mod clustered_groups;
mod common_subplans;
mod dense_groups;
mod eager_aggregation;
mod joins;
mod rollups;
mod running_windows;
mod window_top_k;
