//! SQL on a GPU: the part of a plan that it can run becomes pipelines, each a kernel that reads compressed Parquet pages.
#![deny(unsafe_code)]

pub mod window;
