//! What `pelton.gzip` reads files with: members of gzip (RFC 1952) from an object with a method
//! `read`.

mod errors;
mod header;
mod members;
mod module;
mod read;
mod whole;

pub use module::gzip;
