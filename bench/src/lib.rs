//! Measurements of Pelton against other engines: [`commands`] of the program `pelton-bench`, and
//! the [`record`] of their figures.

pub mod commands;
pub mod record;
