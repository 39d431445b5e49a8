//! Late materialization: filter columns first, then only pages of other columns with a selected
//! row.
//!
//! A [`Window`] is a scan range, rows of one row group. It is scanned in two steps.
//! [`Window::load`] reads and decompresses the columns of the first filter stage; it can run ahead
//! while the previous range is decoded. [`Prefetched::filter`] evaluates the stages in turn, each
//! on the rows that passed the previous ones, and reads the output columns last. Pages without a
//! selected row are neither read nor decompressed.

mod bits;
mod chunked_column;
mod condition;
mod dictionary_filter;
mod guided;
mod output;
mod read_ahead;
mod row_selection;
mod selected_rows;
mod stages;
mod step;
mod window;

pub use condition::{Condition, Filter, FilterEffectiveness, FilterStage};
pub use guided::Shares;
pub use output::WindowBatches;
pub use read_ahead::Prefetched;
pub use window::{ScanSpec, WINDOW_BYTES, Window, windows};
