//! Every format through the public functions, against published values, the reference
//! implementations, and damage.

mod api;
mod checksum;
mod damage;
mod encoder;
mod formats {
    mod brotli;
    mod deflate;
    mod gzip;
    mod hadoop;
    mod lz4;
    mod snappy;
    mod zstd;
}
mod inflate {
    mod batch;
    mod speculative;
    mod streaming;
}
mod pinned;
#[path = "../reference/mod.rs"]
mod reference;
mod round_trip;
mod sizes;
mod stored;
mod support;
mod within;
