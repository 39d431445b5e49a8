//! Types that the texts of a column may have.

use arrow::compute::kernels::cast_utils::{Parser, string_to_datetime};
use arrow::datatypes::{DataType, Date32Type, Float64Type, Int64Type, Time64MicrosecondType, TimeUnit};
use chrono::Utc;

use crate::plan::sql::ZONE;

/// Digits of the longest integers that become numbers: those of DECIMAL(38, 0).
const MOST_DIGITS: usize = 38;

/// The types that hold every text of a column so far, of those that are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Guess {
    bits: u16,
    /// A text that is not NULL has been seen.
    pub is_seen: bool,
}

const BOOLEAN: u16 = 1;
const INTEGER: u16 = 1 << 1;
const LONG_INTEGER: u16 = 1 << 2;
const DOUBLE: u16 = 1 << 3;
const TIME: u16 = 1 << 4;
const DATE: u16 = 1 << 5;
const TIMESTAMP: u16 = 1 << 6;
const ZONED: u16 = 1 << 7;

/// Types of JSON's texts: a number in quotes is text.
const IN_QUOTES: u16 = TIME | DATE | TIMESTAMP | ZONED;

impl Default for Guess {
    fn default() -> Self {
        Self { bits: u16::MAX, is_seen: false }
    }
}

impl Guess {
    /// Returns the types that a text has.
    pub fn of(text: &str) -> Self {
        Self { bits: bits(text), is_seen: true }
    }

    /// Returns the types that a text of JSON has.
    pub fn of_quoted(text: &str) -> Self {
        Self { bits: bits(text) & IN_QUOTES, is_seen: true }
    }

    /// Returns the types that hold the texts of both.
    pub fn and(self, other: Self) -> Self {
        Self { bits: self.bits & other.bits, is_seen: self.is_seen || other.is_seen }
    }

    /// Returns whether a text may stand under this guess.
    pub fn takes(self, text: &str) -> bool {
        self.bits & bits(text) != 0
    }

    /// Returns whether no type but text is left.
    pub fn is_text(self) -> bool {
        !self.is_seen || self.bits == 0
    }

    /// Returns the narrowest type.
    pub fn data_type(self) -> DataType {
        if self.is_text() {
            return DataType::Utf8View;
        }
        let types = [
            (BOOLEAN, DataType::Boolean),
            (INTEGER, DataType::Int64),
            (LONG_INTEGER, DataType::Decimal128(MOST_DIGITS as u8, 0)),
            (DOUBLE, DataType::Float64),
            (TIME, DataType::Time64(TimeUnit::Microsecond)),
            (DATE, DataType::Date32),
            (TIMESTAMP, DataType::Timestamp(TimeUnit::Microsecond, None)),
            (ZONED, DataType::Timestamp(TimeUnit::Microsecond, Some(ZONE.into()))),
        ];
        let found = types.into_iter().find(|(bit, _)| self.bits & bit != 0);
        found.map_or(DataType::Utf8View, |(_, data_type)| data_type)
    }
}

fn bits(text: &str) -> u16 {
    let bytes = text.as_bytes();
    match bytes.first() {
        None => 0,
        Some(_) if ["true", "false"].iter().any(|word| text.eq_ignore_ascii_case(word)) => BOOLEAN,
        Some(b'0'..=b'9' | b'-' | b'.') => number(text) | moment(text),
        Some(_) if Float64Type::parse(text).is_some_and(|value| !value.is_finite()) => DOUBLE,
        Some(_) => 0,
    }
}

fn number(text: &str) -> u16 {
    let digits = text.strip_prefix('-').unwrap_or(text);
    // texts such as 007 are numbers of something, and lose their zeros as a number
    if digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit() {
        return 0;
    }
    let is_integer = digits.bytes().all(|byte| byte.is_ascii_digit());
    match is_integer && !digits.is_empty() {
        true if Int64Type::parse(text).is_some() => INTEGER | LONG_INTEGER | DOUBLE,
        true if digits.len() <= MOST_DIGITS => LONG_INTEGER | DOUBLE,
        _ if Float64Type::parse(text).is_some() => DOUBLE,
        _ => 0,
    }
}

fn moment(text: &str) -> u16 {
    let bytes = text.as_bytes();
    let has = |at: usize, what: &[u8]| bytes.get(at).is_some_and(|byte| what.contains(byte));
    if has(2, b":") && has(5, b":") && Time64MicrosecondType::parse(text).is_some() {
        return TIME;
    }
    if !(has(4, b"-") && has(7, b"-")) {
        return 0;
    }
    if bytes.len() == 10 {
        return if Date32Type::parse(text).is_some() { DATE | TIMESTAMP } else { 0 };
    }
    if !has(10, b"T ") || string_to_datetime(&Utc, text).is_err() {
        return 0;
    }
    let is_zoned = bytes[10..].iter().skip(1).any(|byte| matches!(byte, b'Z' | b'z' | b'+' | b'-'));
    if is_zoned { ZONED } else { TIMESTAMP }
}

#[cfg(test)]
mod tests;
