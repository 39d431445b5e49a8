//! Function codes of requests, and completion codes of their status.

/// An operation of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// Compresses into one block.
    Compress {
        /// Writes with the table of the parameter block, otherwise with the fixed one.
        dynamic: bool,
        /// Counts the symbols.
        count: bool,
        /// The source begins with a history, and the checksums have start values.
        resume: bool,
    },
    /// Decompresses a raw stream.
    Decompress {
        /// Continues in the state of the parameter block, after a history.
        resume: bool,
        /// Suspends after one block.
        one_block: bool,
    },
    /// Copies the source and computes its checksums.
    Wrap,
}

/// Base of the decompression codes.
const DECOMPRESS: u8 = 0x10;
const WRAP: u8 = 0x1e;

impl Function {
    /// Returns all functions, in order of their codes.
    pub fn all() -> impl Iterator<Item = Function> {
        (0..=WRAP).step_by(2).filter_map(Function::from_code)
    }

    /// Returns the code, without the bit that selects the low byte limit.
    pub fn code(self) -> u8 {
        match self {
            Function::Compress { dynamic, count, resume } => {
                u8::from(dynamic) << 1 | u8::from(count) << 2 | u8::from(resume) << 3
            }
            Function::Decompress { resume, one_block } => {
                DECOMPRESS | u8::from(one_block) << 1 | u8::from(resume) << 2
            }
            Function::Wrap => WRAP,
        }
    }

    /// Returns the function with a code; none if there is none.
    pub fn from_code(code: u8) -> Option<Function> {
        let has = |bit: u32| code >> bit & 1 == 1;
        match code {
            _ if code & 1 != 0 => None,
            0..DECOMPRESS => Some(Function::Compress { dynamic: has(1), count: has(2), resume: has(3) }),
            DECOMPRESS..=0x16 => Some(Function::Decompress { resume: has(2), one_block: has(1) }),
            WRAP => Some(Function::Wrap),
            _ => None,
        }
    }

    /// Returns whether the source begins with a history.
    pub fn is_resume(self) -> bool {
        matches!(self, Function::Compress { resume: true, .. } | Function::Decompress { resume: true, .. })
    }
}

/// Completion code (CC) of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[repr(u8)]
pub enum Completion {
    /// The request is done.
    Done = 0,
    /// A list of descriptors is not aligned.
    Alignment = 1,
    /// The byte limit or the end of the source was reached; the stream can be resumed. With the
    /// terminated bit: the history is as long as the source.
    Partial = 3,
    /// A read address has no translation.
    ReadTranslation = 5,
    /// A read address is protected.
    ReadProtection = 6,
    /// Uncorrectable error while reading.
    ReadError = 7,
    /// An operand is invalid, for other engines of the unit.
    InvalidOperand = 8,
    /// Uncorrectable internal error.
    InternalError = 10,
    /// Uncorrectable error while writing.
    WriteError = 12,
    /// The target is full. The request has to be replayed from its start.
    TargetFull = 13,
    /// The source has too many descriptors, or an empty one.
    SourceList = 14,
    /// A written address has no translation.
    WriteTranslation = 15,
    /// A written address is protected.
    WriteProtection = 16,
    /// The function is unknown or disabled.
    UnknownFunction = 17,
    /// The byte count is too large, for other engines of the unit.
    TooManyBytes = 19,
    /// The request block can't be read.
    CrbUnreadable = 20,
    /// A reserved field of the request block is not zero.
    CrbReserved = 21,
    /// A reserved field of a descriptor is not zero.
    DdeReserved = 30,
    /// A list contains a list.
    NestedList = 31,
    /// The byte count of a list is more than its descriptors have.
    ListOverflow = 33,
    /// A compression is complete, and longer than its source.
    Expanded = 64,
    /// A symbol without a code in the table, or bits of a stream that are no code.
    InvalidCode = 66,
    /// A distance beyond the start of the history.
    TooFar = 67,
    /// The table is invalid.
    InvalidTable = 68,
    /// Uncorrectable error in the source or in the parameter block.
    DataError = 90,
    /// The engine was stopped by its watchdog.
    Watchdog = 224,
    /// System software: an address has no translation at the moment.
    AddressFault = 250,
    /// System software: the memory is damaged.
    MemoryDamaged = 252,
    /// System software: uncorrectable error.
    Uncorrectable = 253,
    /// System software: there is no engine.
    NoEngine = 254,
    /// System software: the engine hangs.
    Hung = 255,
}

impl Completion {
    /// All codes.
    pub const ALL: [Completion; 31] = [
        Completion::Done,
        Completion::Alignment,
        Completion::Partial,
        Completion::ReadTranslation,
        Completion::ReadProtection,
        Completion::ReadError,
        Completion::InvalidOperand,
        Completion::InternalError,
        Completion::WriteError,
        Completion::TargetFull,
        Completion::SourceList,
        Completion::WriteTranslation,
        Completion::WriteProtection,
        Completion::UnknownFunction,
        Completion::TooManyBytes,
        Completion::CrbUnreadable,
        Completion::CrbReserved,
        Completion::DdeReserved,
        Completion::NestedList,
        Completion::ListOverflow,
        Completion::Expanded,
        Completion::InvalidCode,
        Completion::TooFar,
        Completion::InvalidTable,
        Completion::DataError,
        Completion::Watchdog,
        Completion::AddressFault,
        Completion::MemoryDamaged,
        Completion::Uncorrectable,
        Completion::NoEngine,
        Completion::Hung,
    ];

    /// Returns the code of a byte; none if it has no known meaning.
    pub fn from_byte(byte: u8) -> Option<Completion> {
        Completion::ALL.into_iter().find(|code| *code as u8 == byte)
    }
}
