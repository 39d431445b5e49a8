//! Names of columns: their resolution, unique names for planning, and titles of the result.

pub(super) mod captures;
pub(super) mod casts;
pub(super) mod column_names;
pub(super) mod lateral_aliases;
pub(super) mod pivots;
mod scopes;
pub(super) mod series_columns;
pub(super) mod stars;
pub(super) mod unique_names;
pub(super) mod using_joins;
pub(super) mod wildcards;

pub(super) use unique_names::Renamed;
