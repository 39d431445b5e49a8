//! The forms in which the IAA writes what operations give: indexes instead of bits, and values
//! packed to a width. And the hybrid of Parquet, which it only reads.

mod hybrid;
mod indexes;
mod pack;

pub use hybrid::hybrid;
pub use indexes::{Index, indexes};
pub use pack::pack;

#[cfg(test)]
mod tests;
