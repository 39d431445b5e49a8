//! Decompressed pages, decoded here if they are flat columns of codes or plain values of a fixed
//! width (`direct`), or else handed to parquet-rs's decoders as if they had been read from a file
//! without compression.
//!
//! parquet-rs's table of codecs is closed, so its own page reader is not used: [`LoadedColumns`]
//! implements its [`RowGroups`](parquet::arrow::arrow_reader::RowGroups), and gives out pages that
//! the router has decompressed.

mod coded;
mod columns;
mod compact;
mod decode;
mod dictionaries;
mod direct;
mod flat;
mod held;
mod inbox;
mod jobs;
mod look_up;
mod made_up;
mod page_reader;
mod validate;

pub(crate) use coded::{CodedColumn, CodedPage};
pub use columns::LoadedColumns;
pub(crate) use compact::Kept;
pub use decode::{Decoder, Rows};
pub use dictionaries::Dictionaries;
pub(crate) use direct::{Direct, Picked};
pub use jobs::LoadOptions;
pub(crate) use jobs::{Work, check_size, job};
pub(crate) use look_up::LookedUp;
