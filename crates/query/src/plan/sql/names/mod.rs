//! Names of columns: their resolution, unique names for planning, and titles of the result.

pub(super) mod captures;
pub(super) mod casts;
pub(super) mod column_names;
pub(super) mod equal_names;
pub(super) mod merged_columns;
mod wildcards;

pub(super) use equal_names::Renamed;
