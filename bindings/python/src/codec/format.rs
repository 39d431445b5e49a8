//! Formats by name, and their detection in data.

use pelton_codec::{Format, Level};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// First bytes of every zstd frame, and of every skippable frame except for four bits (RFC 8878,
/// section 3.1).
const ZSTD: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();
const ZSTD_SKIPPABLE: u32 = 0x184d_2a50;
/// Bytes that a gzip member starts with (RFC 1952, 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Returns the names that `format` takes.
#[pyfunction]
pub fn formats() -> Vec<&'static str> {
    Format::ALL.map(Format::name).to_vec()
}

/// Returns the format of this name.
pub fn named(name: &str) -> PyResult<Format> {
    name.parse().map_err(|error: pelton_codec::Error| PyValueError::new_err(error.to_string()))
}

/// Returns the format of this name; `None` for "auto".
pub fn named_or_auto(name: &str) -> PyResult<Option<Format>> {
    match name {
        "auto" => Ok(None),
        name => named(name).map(Some).map_err(|error| {
            Python::attach(|py| PyValueError::new_err(format!("{}, auto", error.value(py))))
        }),
    }
}

/// Returns the format that the data starts like, if its start identifies one.
pub fn detect(data: &[u8]) -> Option<Format> {
    let is_zlib = |header: &[u8; 2]| {
        // RFC 1950: the method, the window, and the check value.
        header[0] & 0xf == 8 && header[0] >> 4 <= 7 && u16::from_be_bytes(*header).is_multiple_of(31)
    };
    if data.starts_with(&GZIP) {
        return Some(Format::Gzip);
    }
    if let Some(magic) = data.first_chunk()
        && (*magic == ZSTD || u32::from_le_bytes(*magic) & !0xf == ZSTD_SKIPPABLE)
    {
        return Some(Format::Zstd);
    }
    data.first_chunk().is_some_and(is_zlib).then_some(Format::Zlib)
}

/// Returns `format`, or the one that the data starts like.
pub fn of(format: Option<Format>, data: &[u8]) -> PyResult<Format> {
    format.or_else(|| detect(data)).ok_or_else(|| {
        super::error::data(
            "the data starts like none of gzip, zlib and zstd, which are those that can be told by that; \
             name its format"
                .into(),
        )
    })
}

/// Returns the level, or the format's default.
pub fn level(format: Format, level: Option<i32>) -> PyResult<Level> {
    let Some(level) = level else { return Ok(format.default_level()) };
    Level::new(format, level).map_err(|error| PyValueError::new_err(error.to_string()))
}
