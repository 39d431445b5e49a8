//! NVIDIA's GPUs: memory, streams and kernels that are compiled at run time, and a device that
//! decompresses pages.
//!
//! A [`Gpu`] is either a real one ([`Gpu::cuda`]), or this machine's processor that runs the same
//! kernel sources ([`Gpu::host`], docs/gpu-host-build.md), for tests. Above it nothing knows which
//! it is: [`Buffer`]s hold bytes, [`Stream`]s run copies and [`Kernel`]s in order, [`Module`]s are
//! made from [`Source`]s and kept on disk, and the [`Profiler`] says what ran when.
#![deny(unsafe_code)]

mod buffer;
mod cache;
mod codes;
mod decompress;
mod device;
mod driver;
mod error;
mod gpu;
mod host;
mod meter;
mod module;
mod nvcomp;
mod nvrtc;
mod plain;
mod profile;
pub mod sanitizer;
mod source;
mod staging;
mod stream;
pub mod under_test;

pub use buffer::{Buffer, Pinned};
pub use codes::{CODES, Status, code_text};
pub use decompress::{Decompressor, Format, PageFault, PageOutcome, PageTask, Statuses};
pub use device::CudaDevice;
pub use error::{Error, Result};
pub use gpu::{CudaOptions, Gpu, HostOptions, Properties};
pub use host::Order;
pub use module::{Kernel, Module};
pub use nvcomp::NvcompUse;
pub use nvrtc::Nvrtc;
pub use plain::{Plain, bytes_of, bytes_of_slice, from_bytes};
pub use profile::{Label, Profiler, Span, SpanKind};
pub use source::{Source, source_headers};
pub use staging::{Staging, StagingPool, StagingStats};
pub use stream::{Event, MAX_PARAMS, Stream};
