//! Profile of a query: spans of work over time, and a page that shows them.
//!
//! Spans come from the scans of the CPU ([`pelton_pages::Recorder`]) and from a GPU's streams
//! ([`pelton_device_cuda::Profiler`]); [`page`] makes one HTML file of them that needs nothing
//! else.

mod lanes;
mod page;
mod pages;
mod run;
mod span;
mod table;
#[cfg(test)]
mod tests;

pub use page::page;
pub(crate) use pages::{Pages, Profiled};
pub(crate) use run::Recording;
pub use run::Run;
pub use span::{Kind, Span};
pub use table::{Sum, sums};
