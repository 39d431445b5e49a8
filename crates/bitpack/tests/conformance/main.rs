//! One runner for all implementations: each has to give what the naive one gives, and that what a
//! plain loop gives.

mod broken;
mod cases;
mod operations;
mod scan;
