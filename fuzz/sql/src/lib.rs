//! Differential testing of SQL: random queries over random Parquet files, asked of Pelton in many
//! configurations and of DuckDB.
#![forbid(unsafe_code)]

pub mod answer;
pub mod case;
pub mod engines;
pub mod generate;
pub mod run;
pub mod shrink;
pub mod tables;
pub mod tree;
