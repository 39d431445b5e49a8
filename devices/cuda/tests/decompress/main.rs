//! Decompression on the host build, against `pelton-codec`.

mod damage;
mod data;
mod orders;
mod sanitized;
mod sound;
mod support;
