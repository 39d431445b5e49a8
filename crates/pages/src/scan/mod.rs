//! Late materialisation: filter columns first, then of the other columns only what survives.
//!
//! A [`Window`] is a range of rows of one row group. It is scanned in two steps. The first
//! ([`Window::load`]) reads and decompresses the columns of the first filter; it can run ahead,
//! while the window before is still being decoded. The second ([`Prefetched::filter`]) evaluates
//! the filters one after the other, each on what the ones before left, and then reads the output
//! columns, of which pages without a surviving row are neither read nor decompressed.

mod ahead;
mod assemble;
mod bits;
mod decide;
mod encoded;
mod filter;
mod lookup;
mod pieces;
mod prefetch;
mod selection;
mod shares;
mod stages;
mod step;
mod survivors;
mod verdict;
mod window;

pub use assemble::WindowBatches;
pub use filter::{Condition, Filter, FilterStage};
pub use prefetch::Prefetched;
pub use shares::Shares;
pub use window::{ScanSpec, WINDOW_BYTES, Window, windows};
