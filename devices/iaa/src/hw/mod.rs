//! Formats of the device: work descriptors, completion records, AECS. Every field is little-endian.
//!
//! Sources are the Linux driver's user interface (`include/uapi/linux/idxd.h`), its register list,
//! and the requests of Intel's Query Processing Library to the hardware. Constants note a
//! disagreement. The normative text is Intel's document 721858.

/// Defines getter and setter of a little-endian field. The struct's first member has the bytes.
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
