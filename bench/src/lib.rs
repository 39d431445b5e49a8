//! Measurements of Pelton against other engines: [`commands`] are what the `pelton-bench` program
//! offers, and [`record`] keeps their figures.

pub mod commands;
pub mod record;
