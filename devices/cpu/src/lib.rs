//! The CPU as a device: a pool of threads over `pelton-codec`. It supports every operation and
//! format, and its complaints about bad data are final, so every other device can fall back to it.
//!
//! ```
//! use pelton_codec::Format;
//! use pelton_device_cpu::CpuDevice;
//! use pelton_job::{Job, OutputSize, Router};
//!
//! let router = Router::builder().device(CpuDevice::builder().build()).build();
//! let plain = &b"to be or not to be, to be or not to be"[..];
//! let format = Format::Gzip;
//! let job = Job::compress(format, format.default_level(), plain);
//! let packed = router.submit(job).wait().remove(0)?.output;
//! let job = Job::decompress(format, packed, OutputSize::Exact(plain.len()));
//! let done = router.submit(job).wait().remove(0)?;
//! assert_eq!((&done.output[..], &*done.device), (plain, "cpu"));
//! # Ok::<(), pelton_job::JobError>(())
//! ```

#![forbid(unsafe_code)]

mod caller_runs;
mod codecs;
mod device;
mod pool;
mod run;
mod seeds;
mod share;
#[cfg(test)]
mod testing;

pub use device::{CpuDevice, CpuDeviceBuilder};
