//! Rewrites of clauses of a query: SELECT, FROM, GROUP BY, ORDER BY, LIMIT and WINDOW.

pub(super) mod expression_names;
pub(super) mod file_calls;
pub(super) mod item_names;
pub(super) mod joins;
pub(super) mod nested_sets;
pub(super) mod order_by;
pub(super) mod percent_limits;
pub(super) mod samples;
pub(super) mod signed_places;
pub(super) mod sorted_aggregates;
pub(super) mod windows;
