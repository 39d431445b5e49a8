//! What users set, in a program that knows nothing of it: settings good and bad, and the statistics
//! at its end.

#[path = "../common/mod.rs"]
mod common;
mod program;

mod messages;
mod statistics;
