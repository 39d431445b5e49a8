//! Codes of the values of one key.

mod integers;
mod views;

pub use integers::IntegerCodes;
pub use views::ViewCodes;

#[cfg(test)]
mod tests;
