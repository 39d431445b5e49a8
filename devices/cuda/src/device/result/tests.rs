//! Codes, and results that no kernel can have.

use bytes::Bytes;

use super::*;
use crate::CODES;
use crate::decompress::Format;

#[test]
fn the_codes_are_those_of_the_table() {
    let named = [
        ("CODE_TRUNCATED", TRUNCATED),
        ("CODE_OUTPUT_TOO_LONG", OUTPUT_TOO_LONG),
        ("CODE_OUTPUT_TOO_SHORT", OUTPUT_TOO_SHORT),
        ("CODE_TRAILING_BYTES", TRAILING_BYTES),
        ("CODE_UNSUPPORTED", UNSUPPORTED),
    ];
    for (name, code) in named {
        assert!(CODES.iter().any(|entry| (entry.0, entry.1) == (name, code)), "{name}");
    }
}

#[test]
fn nothing_passes_that_a_kernel_cannot_have_done() {
    let page = Page { format: Format::Snappy, input: Bytes::from_static(b"abc"), capacity: 10 };
    let of = |code, produced, consumed| {
        result(&page, OutputSize::AtMost(10), PageOutcome { code, produced, consumed })
    };
    assert!(of(OK, 10, 3).is_ok() && of(OUTPUT_TOO_SHORT, 9, 3).is_ok());
    assert!(of(TRAILING_BYTES, 10, 2).is_ok() && of(TRAILING_BYTES, 0, 0).unwrap_err().is_data());
    for (code, produced, consumed) in [(OK, 11, 3), (OUTPUT_TOO_SHORT, 11, 3), (OK, 10, 4), (99, 0, 0)] {
        assert!(matches!(of(code, produced, consumed), Err(Failure::Fault(_))));
    }
    assert!(of(TRUNCATED, 0, 0).unwrap_err().is_data());
}
