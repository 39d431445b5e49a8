//! Status and error bytes of completion records.

/// First byte of a completion record, without the bit that tells write faults from read faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Status {
    /// Not completed yet.
    InProgress = 0x00,
    /// Done.
    Success = 0x01,
    /// A page was missing, and the descriptor did not ask the device to wait for it.
    PageFault = 0x03,
    /// A page was missing, and the system could not make it present.
    PageFaultUnresolved = 0x04,
    /// The data is bad or exceeds a limit: see [`AnalyticsError`].
    AnalyticsError = 0x0A,
    /// The output is full. If the AECS was written, the operation can be continued.
    OutputOverflow = 0x0B,
    /// The opcode is unknown, or not allowed on this queue.
    UnsupportedOpcode = 0x10,
    /// A flag is set that the operation does not have.
    InvalidOperationFlags = 0x11,
    /// A reserved field is not zero.
    ReservedField = 0x12,
    /// A size is zero, or exceeds the queue's limit.
    InvalidTransferSize = 0x13,
    /// Buffers overlap.
    OverlappingBuffers = 0x16,
    /// The interrupt handle is not valid.
    InvalidInterruptHandle = 0x19,
    /// The completion record's address has no translation.
    CompletionFault = 0x1A,
    /// The completion record is not aligned to 64 bytes.
    CompletionMisaligned = 0x1B,
    /// The AECS is not aligned, or has a wrong size.
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
    /// An address has no translation (the kernel's header), or the hardware took too long (Intel's
    /// library).
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

    /// Bit of the status byte for a page fault on a write.
    pub const WRITE_FAULT: u8 = 0x80;

    /// Returns the status of a byte, ignoring [`WRITE_FAULT`](Status::WRITE_FAULT); none if it is
    /// unknown.
    pub fn from_byte(byte: u8) -> Option<Status> {
        let code = byte & !Status::WRITE_FAULT;
        Status::ALL.into_iter().find(|status| *status as u8 == code)
    }
}

/// Second byte of a completion record with the status [`Status::AnalyticsError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum AnalyticsError {
    /// The input ends in a block's header.
    HeaderTooLarge = 1,
    /// The code for the code lengths is invalid.
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
    /// Bits that match no code of a literal or length.
    BadLiteralCode = 11,
    /// Bits that match no code of a distance.
    BadDistanceCode = 12,
    /// A block of type 3.
    BadBlockType = 13,
    /// The length of a stored block and its complement differ.
    StoredLengthMismatch = 14,
    /// The input ended before the requested end of a block.
    EobNotSeen = 15,
    /// An invalid length symbol.
    BadLength = 16,
    /// A distance of zero, or beyond the device's sliding window.
    DistanceTooFar = 17,
    /// A distance to before the start of the data.
    ReferenceBeforeStart = 18,
    /// No progress.
    Timeout = 19,
    /// Parquet's hybrid encoding is invalid.
    BadParquetRle = 20,
    /// An element or index does not fit the output's width.
    OutputWidthTooSmall = 21,
    /// The AECS is not valid.
    InvalidAecs = 22,
    /// Source 1 ends before the elements do.
    Source1TooSmall = 23,
    /// Source 2 ends before the elements do.
    Source2TooSmall = 24,
    /// The output is full, and the operation cannot be continued.
    UnrecoverableOverflow = 25,
    /// The distance of a match crosses the edge of a mini-block.
    DistanceSpansMiniBlocks = 26,
    /// The length of a match crosses the edge of a mini-block.
    LengthSpansMiniBlocks = 27,
    /// A mini-block's size is not valid.
    BadMiniBlockSize = 28,
    /// The compressed data does not decompress to the input.
    VerifyFailed = 29,
    /// The compressor got an invalid code.
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

    /// Returns the error with a number; none if it is unknown.
    pub fn from_byte(byte: u8) -> Option<AnalyticsError> {
        AnalyticsError::ALL.into_iter().find(|error| *error as u8 == byte)
    }
}
