//! Errors of a scan range on the GPU, and the texts of the kernels' codes.

/// Reason why a scan range is not on the GPU, or its contents contradict the file.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The file is damaged: the CPU would fail, too.
    #[error(transparent)]
    Pages(#[from] pelton_pages::Error),
    /// Parquet allows it, and the GPU's decoders don't support it. The CPU may.
    #[error("not on the GPU: {0}")]
    Unsupported(pelton_pages::Error),
    /// The GPU failed. The CPU can still do it.
    #[error(transparent)]
    Gpu(#[from] pelton_device_cuda::Error),
}

/// Result with this module's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The codes of `kernels/pages/codes.cuh`.
pub mod code {
    pub const LEVELS_LENGTH: u32 = 40;
    pub const HYBRID_TOO_FEW: u32 = 41;
    pub const HYBRID_TRUNCATED: u32 = 42;
    pub const HYBRID_HEADER: u32 = 43;
    pub const HYBRID_EMPTY_RUN: u32 = 44;
    pub const HYBRID_VALUE: u32 = 45;
    pub const NULL_COUNT: u32 = 46;
    pub const CODE_WIDTH: u32 = 47;
    pub const CODE_RANGE: u32 = 48;
    pub const VALUES_SHORT: u32 = 49;
    pub const STRING_LENGTH: u32 = 50;
    pub const DELTA_HEADER: u32 = 51;
    pub const DELTA_SHORT: u32 = 52;
    pub const DELTA_WIDTH: u32 = 53;
    pub const PREFIX_LENGTH: u32 = 54;
    pub const FIXED_LENGTH: u32 = 55;
    pub const TOO_LARGE: u32 = 56;
    pub const DECIMAL_LENGTH: u32 = 57;
}

/// Returns the text of a code, for a page with `values` values in its header, `nulls` of them null.
pub fn code_text(code: u32, detail: u64, values: u32, nulls: Option<u32>) -> String {
    match code {
        code::LEVELS_LENGTH => "its levels end behind it".to_owned(),
        code::HYBRID_TOO_FEW => {
            let (found, len) = (detail as u32, detail >> 32);
            format!("RLE: the input ends after {found} of {len} values")
        }
        code::HYBRID_TRUNCATED => format!("RLE: the input ends within the run at byte {detail}"),
        code::HYBRID_HEADER => format!("RLE: the header at byte {detail} is of more than 32 bits"),
        code::HYBRID_EMPTY_RUN => format!("RLE: the run at byte {detail} has no values"),
        code::HYBRID_VALUE => format!("RLE: the value of the run at byte {detail} has too many bits"),
        code::NULL_COUNT => {
            let nulls = nulls.unwrap_or_default();
            format!("{detail} of its {values} values are not null, its header says that {nulls} are null")
        }
        code::CODE_WIDTH => format!("its codes have {detail} bits, the most are 32"),
        code::CODE_RANGE => format!("{detail} is not a code of the dictionary"),
        code::VALUES_SHORT => "it ends before its last value".to_owned(),
        code::STRING_LENGTH => format!("the length of value {detail} is negative, or goes beyond the page"),
        code::DELTA_HEADER => format!("DELTA_BINARY_PACKED: what is at byte {detail} is no header"),
        code::DELTA_SHORT => format!("DELTA_BINARY_PACKED: it ends before value {detail}"),
        code::DELTA_WIDTH => {
            format!("DELTA_BINARY_PACKED: deltas of {detail} bits are wider than the values")
        }
        code::PREFIX_LENGTH => {
            format!("DELTA_BYTE_ARRAY: value {detail} shares more than there is with the one before it")
        }
        code::FIXED_LENGTH => format!("value {detail} has another length than its column's values"),
        code::TOO_LARGE => format!("its values take {detail} bytes, more than 4 GiB"),
        code::DECIMAL_LENGTH => format!("a decimal of {detail} bytes; 1 to 16 can be read"),
        other => format!("internal error: unknown code {other} of a page"),
    }
}

#[cfg(test)]
mod tests;
