//! Intel's In-Memory Analytics Accelerator in software, behind the driver's `Portal`.
pub mod operation;
