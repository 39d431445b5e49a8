//! Reader behind `pelton.gzip`: members of gzip (RFC 1952) from an object with a method `read`.

mod header;
pub mod members;
pub mod one_shot;
