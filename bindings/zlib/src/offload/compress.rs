//! Compression jobs for accelerators.

use std::ops::RangeInclusive;

use pelton_codec::{Format, Level, Window};
use pelton_job::{BorrowedJob, Hints, InlineRun as RouterInlineRun};

use super::MIN_LEN;
use super::caller::NAME;
use super::registry::{Registry, registry};

/// Levels of zlib for which the router is asked: all that compress. A device reports those that it
/// does not support, which is counted.
const LEVELS: RangeInclusive<i32> = 1..=9;

/// Lowest level that a device is asked for. At level 1 an IAA writes the fixed codes, which makes
/// data larger than zlib's level 1; codes made for the data are about as small
/// (`docs/zlib.md`, Devices).
pub const MIN_LEVEL: i32 = 2;

/// Highest level at which a device competes with the calling thread. An IAA makes the same bytes at
/// all levels, with a window of 4 KB, so at higher levels its output is larger than zlib's. A
/// device that is configured alone is used regardless.
const MAX_LEVEL_BESIDE_CPU: i32 = 1;

/// The output of a compression job.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum JobKind {
    /// A complete raw stream.
    Stream,
    /// A part: blocks of a raw stream that begin and end at a byte.
    Part,
}

/// A job that the caller runs inline.
pub type InlineRun = RouterInlineRun<'static>;

/// The device for a job.
pub enum Assignment {
    /// An accelerator.
    Device(DeviceJob),
    /// The caller, which completes the inline run if there is one.
    Caller(Option<InlineRun>),
}

/// A compression job of an accelerator.
pub struct DeviceJob {
    registry: &'static Registry,
    kind: JobKind,
    level: Level,
    window: Window,
}

/// Returns whether the accelerators are asked for jobs of a level of zlib's.
pub(super) fn is_for_device(registry: &Registry, asked: i32) -> bool {
    LEVELS.contains(&asked) && (!registry.has_cpu || asked <= MAX_LEVEL_BESIDE_CPU)
}

/// Chooses the device that compresses this data at a level of zlib's.
pub fn assign(kind: JobKind, asked: i32, window: Window, uncompressed: &[u8]) -> Assignment {
    if uncompressed.len() < MIN_LEN || !LEVELS.contains(&asked) {
        return Assignment::Caller(None);
    }
    let registry = registry().filter(|registry| is_for_device(registry, asked));
    match (registry, Level::new(Format::Deflate, asked.max(MIN_LEVEL))) {
        (Some(registry), Ok(level)) => {
            let device_job = DeviceJob { registry, kind, level, window };
            match registry
                .call(|router| router.inline_run(&device_job.job(uncompressed, &mut []).view(), NAME))
            {
                Some(run) => Assignment::Caller(Some(run)),
                None => Assignment::Device(device_job),
            }
        }
        _ => Assignment::Caller(None),
    }
}

impl Assignment {
    /// Runs the job on its accelerator and returns the compressed size. Otherwise, or if the
    /// accelerator fails, returns the inline run for the caller.
    pub fn run(self, uncompressed: &[u8], output: &mut [u8]) -> Result<usize, Option<InlineRun>> {
        match self {
            Assignment::Device(device_job) => device_job.run(uncompressed, output),
            Assignment::Caller(run) => Err(run),
        }
    }
}

impl DeviceJob {
    fn job<'a>(&self, uncompressed: &'a [u8], output: &'a mut [u8]) -> BorrowedJob<'a> {
        let job = match self.kind {
            JobKind::Stream => BorrowedJob::compress(Format::Deflate, self.level, uncompressed, output),
            JobKind::Part => BorrowedJob::compress_part(self.level, uncompressed, output),
        };
        job.with_hints(Hints { window: u32::try_from(self.window.bytes()).ok(), ..Hints::default() })
    }

    /// As [`Assignment::run`].
    pub fn run(self, uncompressed: &[u8], output: &mut [u8]) -> Result<usize, Option<InlineRun>> {
        let mut job = self.job(uncompressed, output);
        let done = self.registry.call(|router| router.run_or_inline(&mut job, NAME));
        done.map(|done| done.produced)
    }
}
