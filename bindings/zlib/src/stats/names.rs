//! What statistics tell apart.

/// What a call does. A call in which a stream both begins and ends is one-shot, whether `compress`
/// made it or the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    DeflateStream,
    DeflateOneShot,
    InflateStream,
    InflateOneShot,
}

/// What does it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// Pelton's codec, a block at a time.
    CpuBlocks,
    /// Pelton's codec or libdeflate, the whole stream at once.
    CpuOneShot,
    /// Pelton's codec, as the pieces of a stream come
    CpuStreaming,
    /// An accelerator, a block at a time, as far as it did not leave some to the caller
    DeviceBlocks,
    /// An accelerator, the whole stream at once
    DeviceOneShot,
    /// zlib-rs
    ZlibRs,
}

/// Why zlib-rs does it.
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
    Size,
    Other,
}

impl Operation {
    /// All of them, in their order.
    pub const ALL: [Self; 4] =
        [Self::DeflateStream, Self::DeflateOneShot, Self::InflateStream, Self::InflateOneShot];

    /// In words.
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
    /// All of them, in their order.
    pub const ALL: [Self; 6] = [
        Self::CpuBlocks,
        Self::CpuOneShot,
        Self::CpuStreaming,
        Self::DeviceBlocks,
        Self::DeviceOneShot,
        Self::ZlibRs,
    ];

    /// In words.
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
    /// All of them, in their order.
    pub const ALL: [Self; 13] = [
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
        Self::Size,
        Self::Other,
    ];

    /// In words.
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
            Self::Size => "blocks that ours makes too large",
            Self::Other => "other",
        }
    }
}
