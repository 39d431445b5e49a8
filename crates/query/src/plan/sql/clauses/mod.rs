//! Rewrites of clauses of a query: FROM, GROUP BY, ORDER BY and WINDOW.

pub(super) mod from_first;
pub(super) mod nested_sets;
pub(super) mod ordinals;
pub(super) mod sorted_aggregates;
pub(super) mod windows;
