//! Text of measurements: tables for a terminal and for Markdown, numbers, plots, and even shares
//! of samples.
#![forbid(unsafe_code)]

pub mod even_share;
pub mod machine;
pub mod numbers;
pub mod plot;
pub mod table;
