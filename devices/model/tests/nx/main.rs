//! Tests of the NX-GZIP model by raw request blocks, without the driver.

mod codes;
mod functions;
mod support;
mod windows;
