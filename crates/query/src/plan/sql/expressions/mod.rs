//! Rewrites of expressions that DataFusion plans in another way than PostgreSQL.

pub(super) mod any_elements;
pub(super) mod operator_calls;
pub(super) mod precedence;
pub(super) mod refusals;
pub(super) mod regex_replacements;
pub(super) mod row_values;
pub(super) mod short_forms;
pub(super) mod signed_counts;

pub(in crate::plan) use precedence::IS_DISTINCT;
