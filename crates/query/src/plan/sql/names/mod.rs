//! Names of columns: their resolution, unique names for planning, and titles of the result.

pub(super) mod captures;
pub(super) mod casts;
pub(super) mod column_names;
pub(super) mod file_calls;
pub(super) mod unique_names;
pub(super) mod using_joins;
mod wildcards;

pub(super) use unique_names::Renamed;
