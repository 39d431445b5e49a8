//! Functions in FROM that read no files.

mod rows;
pub(super) mod series;
