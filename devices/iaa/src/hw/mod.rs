//! The device's own formats: work descriptors, completion records, AECS. Everything is
//! little-endian.
//!
//! The figures are those of the Linux driver's user interface (`include/uapi/linux/idxd.h`), of its
//! register list, and of what Intel's Query Processing Library sends to the hardware. Where these
//! disagree, the constant says so. The normative text is Intel's document 721858.

/// Reader and writer of one little-endian field of a struct that has the layout's bytes as its
/// first member.
macro_rules! field {
    ($(#[$doc:meta])* $get:ident, $set:ident, $type:ty, $offset:expr) => {
        $(#[$doc])*
        pub fn $get(&self) -> $type {
            let mut bytes = [0; size_of::<$type>()];
            bytes.copy_from_slice(&self.0[$offset..$offset + size_of::<$type>()]);
            <$type>::from_le_bytes(bytes)
        }

        $(#[$doc])*
        pub fn $set(mut self, value: $type) -> Self {
            self.0[$offset..$offset + size_of::<$type>()].copy_from_slice(&value.to_le_bytes());
            self
        }
    };
}

pub mod aecs;
mod completion;
mod descriptor;
pub mod flags;
mod opcode;
mod status;

pub use completion::{CompletionRecord, RecordView};
pub use descriptor::Descriptor;
pub use opcode::Opcode;
pub use status::{AnalyticsError, Status};
