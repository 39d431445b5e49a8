//! The device's own formats: work descriptors, completion records, AECS. Everything is
//! little-endian.
//!
//! The figures are those of the Linux driver's user interface (`include/uapi/linux/idxd.h`), of its
//! register list, and of what Intel's Query Processing Library sends to the hardware. Where these
//! disagree, the constant says so. The normative text is Intel's document 721858.

pub mod aecs;
mod completion;
mod descriptor;
mod field;
pub mod flags;
mod opcode;
mod status;

pub use completion::{CompletionRecord, RecordView};
pub use descriptor::Descriptor;
pub use opcode::Opcode;
pub use status::{AnalyticsError, Status};
