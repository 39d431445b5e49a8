//! Tests of all implementations: each has to give the results of the naive one, which has to give
//! those of a plain loop.

mod broken;
mod cases;
mod operations;
mod scan;
