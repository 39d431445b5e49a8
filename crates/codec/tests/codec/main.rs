//! Every format through the public functions, against published values, the reference
//! implementations, and damage.

mod api;
mod batch;
mod brotli;
mod checksum;
mod damage;
mod deflate;
mod encoder;
mod gzip;
mod hadoop;
mod lz4;
mod pinned;
#[path = "../reference/mod.rs"]
mod reference;
mod round_trip;
mod sizes;
mod snappy;
mod speculative;
mod stored;
mod streaming;
mod support;
mod within;
mod zstd;
