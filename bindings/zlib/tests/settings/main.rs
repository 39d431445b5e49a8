//! Settings in a foreign program, valid and invalid, and the statistics at its end.

#[path = "../common/mod.rs"]
mod common;
mod program;

mod messages;
mod statistics;
