//! Use of the CUDA driver, on a driver in software that does work as late as it may
//! (`libcuda.cpp`), and the errors where there is none.
#![allow(unsafe_code)]

mod absent;
mod fake;
mod usage;
