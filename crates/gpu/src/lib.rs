//! SQL on a GPU: supported parts of a plan become pipelines, each a kernel that reads compressed
//! Parquet pages.
//!
//! ```text
//! LogicalPlan ─► plan ─► ir::Query ─► codegen ─► CUDA C++ ─► exec ─► kernels ─► RecordBatch
//!                                                             ▲
//!                                       window: pages, page directories
//! ```
//!
//! A session registers [`GpuAccelerator`]. It replaces the largest subtrees that `plan` can lower
//! by nodes that hold both their pipelines and their plan for the CPU; `codegen` writes a kernel
//! for each pipeline, and `exec` runs them.
#![deny(unsafe_code)]

mod accelerator;
mod cache;
pub mod codegen;
mod exec;
mod ir;
mod node;
mod plan;
mod rewrite;
pub mod window;

pub use accelerator::GpuAccelerator;
pub use exec::Limits;
