//! What a completion record says of how an operation ended.

/// Byte 0 of a completion record without its highest bit, which says of a page fault that it was a
/// write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Status {
    /// Not there yet: the byte to poll.
    InProgress = 0x00,
    /// Done.
    Success = 0x01,
    /// A page was missing, and the device did not wait for it. Touch it and submit again.
    PageFault = 0x03,
    /// A page was missing, and the system could not make it present.
    PageFaultUnresolved = 0x04,
    /// The data is at fault, or too much for the device: see the error byte, [`AnalyticsError`].
    AnalyticsError = 0x0A,
    /// The output is full. The AECS, if it was written, has what it takes to go on.
    OutputOverflow = 0x0B,
    /// The opcode is not known, or not allowed on this queue.
    UnsupportedOpcode = 0x10,
    /// A flag is set that the operation does not have.
    InvalidOperationFlags = 0x11,
    /// A reserved field is not zero.
    ReservedField = 0x12,
    /// A size is zero, or over the queue's limit.
    InvalidTransferSize = 0x13,
    /// Buffers overlap.
    OverlappingBuffers = 0x16,
    /// The interrupt handle is not valid.
    InvalidInterruptHandle = 0x19,
    /// The completion record's address has no translation.
    CompletionFault = 0x1A,
    /// The completion record is not aligned to 64 bytes.
    CompletionMisaligned = 0x1B,
    /// The AECS is not aligned to 32 bytes, or of a size that is no multiple of 32.
    AecsMisaligned = 0x1C,
    /// The descriptor asks for privileges that the submitter lacks.
    Privilege = 0x1D,
    /// The traffic class is not configured.
    TrafficClass = 0x1E,
    /// A page was missing on a read-back or drain.
    ReadbackFault = 0x1F,
    /// The hardware failed.
    HardwareError = 0x20,
    /// A read-back took too long.
    ReadbackTimeout = 0x21,
    /// The kernel: an address has no translation. Intel's library: the hardware took too long.
    TranslationFailure = 0x22,
    /// The system took too long to answer a request for a page.
    PageRequestTimeout = 0x23,
    /// The watchdog ended the operation.
    Watchdog = 0x24,
    /// Flags of the decompression, compression or CRC are not valid.
    InvalidOwnFlags = 0x30,
    /// Filter flags are not valid.
    InvalidFilterFlags = 0x31,
    /// The size of an input is not valid.
    InvalidInputSize = 0x32,
    /// The number of elements is not valid.
    InvalidElements = 0x33,
    /// The width of source 1 is not valid.
    InvalidWidth = 0x34,
    /// The output can't be inverted.
    InvalidInvert = 0x35,
}

impl Status {
    /// All of them, by number.
    pub const ALL: [Status; 29] = [
        Status::InProgress,
        Status::Success,
        Status::PageFault,
        Status::PageFaultUnresolved,
        Status::AnalyticsError,
        Status::OutputOverflow,
        Status::UnsupportedOpcode,
        Status::InvalidOperationFlags,
        Status::ReservedField,
        Status::InvalidTransferSize,
        Status::OverlappingBuffers,
        Status::InvalidInterruptHandle,
        Status::CompletionFault,
        Status::CompletionMisaligned,
        Status::AecsMisaligned,
        Status::Privilege,
        Status::TrafficClass,
        Status::ReadbackFault,
        Status::HardwareError,
        Status::ReadbackTimeout,
        Status::TranslationFailure,
        Status::PageRequestTimeout,
        Status::Watchdog,
        Status::InvalidOwnFlags,
        Status::InvalidFilterFlags,
        Status::InvalidInputSize,
        Status::InvalidElements,
        Status::InvalidWidth,
        Status::InvalidInvert,
    ];

    /// Bit 7 of the status byte: the page fault was a write.
    pub const WRITE_FAULT: u8 = 0x80;

    /// The status of this byte, without regard to [`WRITE_FAULT`](Status::WRITE_FAULT); none if it
    /// is not known.
    pub fn from_byte(byte: u8) -> Option<Status> {
        let code = byte & !Status::WRITE_FAULT;
        Status::ALL.into_iter().find(|status| *status as u8 == code)
    }
}

/// Byte 1 of a completion record whose status is [`Status::AnalyticsError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum AnalyticsError {
    /// The input ends in a block's header.
    HeaderTooLarge = 1,
    /// The code for the code lengths is not one.
    BadCodeLengthCode = 2,
    /// The first length of a literal is "as before".
    FirstLiteralRepeats = 3,
    /// The first length of a distance is "as before".
    FirstDistanceRepeats = 4,
    /// A block without literal codes.
    NoLiteralCodes = 5,
    /// Too many or too few lengths of literals.
    WrongLiteralCount = 6,
    /// Too many or too few lengths of distances.
    WrongDistanceCount = 7,
    /// The code for the code lengths has more codes than fit.
    OversubscribedCodeLengths = 8,
    /// The code for literals has more codes than fit.
    OversubscribedLiterals = 9,
    /// The code for distances has more codes than fit.
    OversubscribedDistances = 10,
    /// Bits that are no code of a literal or length.
    BadLiteralCode = 11,
    /// Bits that are no code of a distance.
    BadDistanceCode = 12,
    /// A block of type 3.
    BadBlockType = 13,
    /// A stored block whose length and its complement differ.
    StoredLengthMismatch = 14,
    /// The input ended without the end of the block that was asked for.
    EobNotSeen = 15,
    /// A length symbol that is none.
    BadLength = 16,
    /// A distance of 0, or beyond the 4 KB that the device remembers.
    DistanceTooFar = 17,
    /// A distance to before the start of the data.
    ReferenceBeforeStart = 18,
    /// No progress.
    Timeout = 19,
    /// Parquet's hybrid encoding is damaged.
    BadParquetRle = 20,
    /// An element or index does not fit the output's width.
    OutputWidthTooSmall = 21,
    /// The AECS is not valid.
    InvalidAecs = 22,
    /// Source 1 ends before the elements do.
    Source1TooSmall = 23,
    /// Source 2 ends before the elements do.
    Source2TooSmall = 24,
    /// The output is full, and the operation can't be gone on with.
    UnrecoverableOverflow = 25,
    /// A match reaches over a mini-block's edge by its distance.
    DistanceSpansMiniBlocks = 26,
    /// A match reaches over a mini-block's edge by its length.
    LengthSpansMiniBlocks = 27,
    /// A mini-block's size is not valid.
    BadMiniBlockSize = 28,
    /// What was compressed does not decompress to what it was.
    VerifyFailed = 29,
    /// The compressor was given a code that is none.
    InvalidCompressorCode = 30,
    /// Parquet's hybrid with a width over 32.
    ParquetRleTooWide = 31,
    /// Fewer elements than the operation needs.
    TooFewElements = 32,
    /// More than 286 literal codes.
    TooManyLiteralCodes = 35,
    /// More than 30 distance codes.
    TooManyDistanceCodes = 36,
}

impl AnalyticsError {
    /// All of them, by number.
    pub const ALL: [AnalyticsError; 34] = [
        AnalyticsError::HeaderTooLarge,
        AnalyticsError::BadCodeLengthCode,
        AnalyticsError::FirstLiteralRepeats,
        AnalyticsError::FirstDistanceRepeats,
        AnalyticsError::NoLiteralCodes,
        AnalyticsError::WrongLiteralCount,
        AnalyticsError::WrongDistanceCount,
        AnalyticsError::OversubscribedCodeLengths,
        AnalyticsError::OversubscribedLiterals,
        AnalyticsError::OversubscribedDistances,
        AnalyticsError::BadLiteralCode,
        AnalyticsError::BadDistanceCode,
        AnalyticsError::BadBlockType,
        AnalyticsError::StoredLengthMismatch,
        AnalyticsError::EobNotSeen,
        AnalyticsError::BadLength,
        AnalyticsError::DistanceTooFar,
        AnalyticsError::ReferenceBeforeStart,
        AnalyticsError::Timeout,
        AnalyticsError::BadParquetRle,
        AnalyticsError::OutputWidthTooSmall,
        AnalyticsError::InvalidAecs,
        AnalyticsError::Source1TooSmall,
        AnalyticsError::Source2TooSmall,
        AnalyticsError::UnrecoverableOverflow,
        AnalyticsError::DistanceSpansMiniBlocks,
        AnalyticsError::LengthSpansMiniBlocks,
        AnalyticsError::BadMiniBlockSize,
        AnalyticsError::VerifyFailed,
        AnalyticsError::InvalidCompressorCode,
        AnalyticsError::ParquetRleTooWide,
        AnalyticsError::TooFewElements,
        AnalyticsError::TooManyLiteralCodes,
        AnalyticsError::TooManyDistanceCodes,
    ];

    /// The error with this number; none if it is not known.
    pub fn from_byte(byte: u8) -> Option<AnalyticsError> {
        AnalyticsError::ALL.into_iter().find(|error| *error as u8 == byte)
    }
}
