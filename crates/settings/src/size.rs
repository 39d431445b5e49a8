//! Numbers of bytes, as people write and read them.

use std::fmt;
use std::str::FromStr;

/// A number of bytes, from text such as `512`, `64KiB` or `2GB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub usize);

/// Powers of a thousand, and of 1024; the bare letter is the power of 1024, as `dd` and the JVM
/// have it.
const UNITS: [(&str, u64); 13] = [
    ("", 1),
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
    ("k", 1 << 10),
    ("m", 1 << 20),
    ("g", 1 << 30),
];

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || "give a number of bytes such as 512MB or 2GiB, over zero".to_owned();
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let number: f64 = number.parse().map_err(|_| bad())?;
        let unit = unit.trim().to_ascii_lowercase();
        let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(bad)?;
        let bytes = number * *factor as f64;
        // The first number that does not fit, exactly; usize::MAX itself rounds up to it.
        if !(1.0..2f64.powi(usize::BITS as i32)).contains(&bytes) {
            return Err(bad());
        }
        Ok(Size(bytes as usize))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
        match exact.iter().find(|(_, factor)| self.0 >= *factor && self.0.is_multiple_of(*factor)) {
            Some((unit, factor)) => write!(f, "{}{unit}", self.0 / factor),
            None => write!(f, "{}B", self.0),
        }
    }
}

#[cfg(test)]
mod tests;
