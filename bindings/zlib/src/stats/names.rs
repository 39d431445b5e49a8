//! Operations, paths and reasons that the statistics distinguish.

/// Operation of a call. A call in which a stream both begins and ends is one-shot, whether through
/// `compress` or `deflate`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    DeflateStream,
    DeflateOneShot,
    InflateStream,
    InflateOneShot,
}

/// Code or device that did the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// Pelton's codec, a block at a time
    CpuBlocks,
    /// Pelton's codec or libdeflate, a stream in one call
    CpuOneShot,
    /// Pelton's streaming decoder
    CpuStreaming,
    /// An accelerator, for at least one block of the stream
    DeviceBlocks,
    /// An accelerator, a stream in one call
    DeviceOneShot,
    /// zlib-rs
    ZlibRs,
}

/// Reason for a stream or block that zlib-rs gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    AccelerationOff,
    NoInstructions,
    LevelZero,
    Strategy,
    MemLevel,
    Window,
    Dictionary,
    Header,
    PrimedOrTuned,
    Copied,
    TooSmall,
    Other,
}

impl Operation {
    /// All values, in order.
    pub const ALL: [Self; 4] =
        [Self::DeflateStream, Self::DeflateOneShot, Self::InflateStream, Self::InflateOneShot];

    /// Returns the name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::DeflateStream => "deflate stream",
            Self::DeflateOneShot => "deflate one-shot",
            Self::InflateStream => "inflate stream",
            Self::InflateOneShot => "inflate one-shot",
        }
    }
}

impl Path {
    /// All values, in order.
    pub const ALL: [Self; 6] = [
        Self::CpuBlocks,
        Self::CpuOneShot,
        Self::CpuStreaming,
        Self::DeviceBlocks,
        Self::DeviceOneShot,
        Self::ZlibRs,
    ];

    /// Returns the name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::CpuBlocks => "cpu blocks",
            Self::CpuOneShot => "cpu whole",
            Self::CpuStreaming => "cpu pieces",
            Self::DeviceBlocks => "device blocks",
            Self::DeviceOneShot => "device whole",
            Self::ZlibRs => "plain zlib-rs",
        }
    }
}

impl Reason {
    /// All values, in order.
    pub const ALL: [Self; 12] = [
        Self::AccelerationOff,
        Self::NoInstructions,
        Self::LevelZero,
        Self::Strategy,
        Self::MemLevel,
        Self::Window,
        Self::Dictionary,
        Self::Header,
        Self::PrimedOrTuned,
        Self::Copied,
        Self::TooSmall,
        Self::Other,
    ];

    /// Returns the name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::AccelerationOff => "acceleration turned off",
            Self::NoInstructions => "instructions that are lacking",
            Self::LevelZero => "level 0",
            Self::Strategy => "strategy",
            Self::MemLevel => "memLevel",
            Self::Window => "window",
            Self::Dictionary => "dictionary",
            Self::Header => "header set by caller",
            Self::PrimedOrTuned => "primed or tuned",
            Self::Copied => "stream copied midway",
            Self::TooSmall => "too small",
            Self::Other => "other",
        }
    }
}
