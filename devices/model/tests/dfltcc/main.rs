//! Tests of the model of DFLTCC at its parameter block, without the driver.

mod compression;
mod expansion;
mod support;
