//! Reports of measurements: tables for a terminal and for Markdown, plots, records, numbers, and
//! even samples.
#![forbid(unsafe_code)]

pub mod even_share;
pub mod machine;
pub mod numbers;
pub mod plot;
pub mod record;
pub mod table;
