//! One buffer at a time.

mod into;
mod pack;
mod unpack;

pub use into::decompress_into;
pub use pack::compress;
pub use unpack::decompress;

use pyo3::prelude::*;

/// Bytes of plain data from which on the interpreter's lock is released. To release it and to take
/// it again costs 0.1 µs if nobody wants it, and decompressing so much takes 100 times that; but
/// where another thread of Python's takes the lock, it may keep it for five milliseconds, which a
/// small buffer would wait for in vain.
pub const RELEASED_FROM: usize = 8 << 10;

/// Runs `work` without the interpreter's lock if it is about so many bytes of plain data that this
/// pays.
pub fn run<T: Send>(py: Python<'_>, plain: usize, work: impl FnOnce() -> T + Send) -> T {
    if plain >= RELEASED_FROM { py.detach(work) } else { work() }
}
