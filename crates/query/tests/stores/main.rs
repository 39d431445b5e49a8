//! Object stores, tested against servers on loopback.

mod delta;
mod many_files;
mod moto;
mod s3;
mod server;
mod support;
mod web;
