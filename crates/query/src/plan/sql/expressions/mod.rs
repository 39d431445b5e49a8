//! Rewrites of expressions that DataFusion plans in another way than PostgreSQL.

pub(super) mod any_elements;
pub(super) mod counts;
pub(super) mod distinct_from;
pub(super) mod negated_exists;
pub(super) mod operator_calls;
pub(super) mod replacements;
pub(super) mod row_values;
pub(super) mod tuples;

pub(in crate::plan) use distinct_from::IS_DISTINCT;
