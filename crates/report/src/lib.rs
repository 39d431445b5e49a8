//! Text of measurements: tables for a terminal and for Markdown, numbers, and even shares of
//! samples.
#![forbid(unsafe_code)]

pub mod even_share;
pub mod text;
