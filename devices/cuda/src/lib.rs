//! NVIDIA's GPUs: memory, streams and kernels that are compiled at run time, and a device that
//! decompresses pages.
//!
//! A [`Gpu`] is either a real one ([`Gpu::cuda`]), or this machine's processor that runs the same
//! kernel sources ([`Gpu::host`], docs/gpu-host-build.md), for tests. The rest of the interface is
//! the same for both: [`Buffer`]s hold bytes, [`Stream`]s run copies and [`Kernel`]s in order,
//! [`Module`]s are compiled from [`Source`]s and cached on disk, and the [`Profiler`] records
//! spans.
#![deny(unsafe_code)]

mod compile;
mod decompress;
mod device;
mod driver;
mod error;
mod gpu;
mod host;
mod memory;
mod nvcomp;
mod pod;
pub mod sanitizer;
mod status;
pub mod under_test;

pub use compile::{Nvrtc, Source, source_headers};
pub use decompress::{Decompressor, Format, PageFault, PageOutcome, PageTask, Statuses};
pub use device::CudaDevice;
pub use driver::{MAX_QUEUES, QUEUES_VARIABLE, request_all_queues};
pub use error::{Error, Result};
pub use gpu::{
    CudaOptions, Event, Gpu, HostOptions, Kernel, Label, MAX_PARAMS, Module, Profiler, Properties, Span,
    SpanKind, Stream,
};
pub use host::Order;
pub use memory::{Buffer, Pinned, Staging, StagingPool, StagingStats};
pub use nvcomp::NvcompUse;
pub use pod::{Pod, bytes_of, bytes_of_slice, from_bytes};
pub use status::{CODES, Status, code_text};
