use std::ops::Range;

/// The names of all implementations, the slowest one first.
pub(crate) const NAMES: [&str; 4] = ["naive", "portable", "avx2", "avx512"];

/// Error of an operation. Each message is one line. The output is then unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Values can't have this width. Packed values have at most 32 bits, and at least one; those of
    /// a hybrid can have none.
    #[error("{width} bits a value is not within {least} to {most}")]
    Width {
        /// The requested width.
        width: u32,
        /// The minimum.
        least: u32,
        /// The maximum.
        most: u32,
    },
    /// The packed values need more bytes than were given. Give more bytes, or ask for fewer values.
    #[error("{len} values of {width} bits do not fit in {given} bytes")]
    TooShort {
        /// The number of values.
        len: usize,
        /// Bits of each.
        width: u32,
        /// Bytes that were given.
        given: usize,
    },
    /// A hybrid ends within a run.
    #[error("RLE: the input ends within the run at byte {at}")]
    Truncated {
        /// Where the run's header starts.
        at: usize,
    },
    /// A run's header is longer than that of any run that fits in 32 bits.
    #[error("RLE: the header at byte {at} is of more than 32 bits")]
    RunHeader {
        /// Where the header starts.
        at: usize,
    },
    /// A run has no values.
    #[error("RLE: the run at byte {at} has no values")]
    EmptyRun {
        /// Where the run's header starts.
        at: usize,
    },
    /// A run's value has more bits than values have.
    #[error("RLE: the run at byte {at} is of {value}, which is not a value of {width} bits")]
    RunValue {
        /// Where the run's header starts.
        at: usize,
        /// The value.
        value: u32,
        /// Bits that values have.
        width: u32,
    },
    /// A hybrid ends before it has given all values.
    #[error("RLE: the input ends after {found} of {len} values")]
    TooFew {
        /// Values that it has.
        found: usize,
        /// Values that were asked for.
        len: usize,
    },
    /// The mask is for another number of values. It has to have a bit for each, and for an
    /// expansion a set bit.
    #[error("a mask for {mask} values does not go with {values}")]
    MaskLength {
        /// Values that the mask is for.
        mask: usize,
        /// Values that there are.
        values: usize,
    },
    /// The rows are not within the source.
    #[error("rows {} to {} are not within {len} values", rows.start, rows.end)]
    Rows {
        /// The rows that were asked for.
        rows: Range<usize>,
        /// Values that there are.
        len: usize,
    },
    /// A value does not fit the width of the output. Choose a wider one.
    #[error("{value} does not fit in {width} bits of output")]
    OutputWidth {
        /// The value.
        value: u64,
        /// Bits of each output.
        width: u32,
    },
    /// No implementation has this name.
    #[error("unknown implementation '{name}' of filters; use one of {}", NAMES.join(", "))]
    UnknownKernels {
        /// The name that was given.
        name: String,
    },
    /// This processor can't run the implementation.
    #[error("this processor can't run the filters '{name}'; it lacks instructions that they are made of")]
    Unsupported {
        /// The name that was given.
        name: String,
    },
}
