//! Late materialisation: filter columns first, then of the other columns only what survives.
//!
//! A [`Window`] is a range of rows of one row group. It is scanned in two steps. The first
//! ([`Window::load`]) reads and decompresses the columns of the first filter; it can run ahead,
//! while the window before is still being decoded. The second ([`Prefetched::filter`]) evaluates
//! the filters one after the other, each on what the ones before left, and then reads the output
//! columns, of which pages without a surviving row are neither read nor decompressed.

mod bits;
mod chunked_column;
mod condition;
mod dictionary_filter;
mod guided;
mod output;
mod read_ahead;
mod remaining_rows;
mod row_selection;
mod stages;
mod step;
mod window;

pub use condition::{Condition, Filter, FilterStage};
pub use guided::Shares;
pub use output::WindowBatches;
pub use read_ahead::Prefetched;
pub use window::{ScanSpec, WINDOW_BYTES, Window, windows};
