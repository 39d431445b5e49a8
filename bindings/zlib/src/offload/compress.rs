//! What is compressed, as jobs.

use std::ops::RangeInclusive;

use pelton_codec::{Format, Level, Window};
use pelton_job::{BorrowedJob, Hints, InlineRun as RouterInlineRun};

use super::MIN_LEN;
use super::caller::NAME;
use super::registry::{Registry, registry};

/// The levels of zlib's that anybody is asked about: all that compress. What an accelerator has not
/// it refuses, which is counted.
const LEVELS: RangeInclusive<i32> = 1..=9;

/// What it is asked for at least: at level 1 an IAA writes the fixed codes, which take 13 to 29%
/// more bytes than zlib's level 1; with codes made for the data it is 14% fewer to 1% more (by its
/// model: docs/zlib.md).
const MIN_LEVEL: i32 = 2;

/// With the caller's thread beside it, an accelerator is asked up to this level. Of others an IAA,
/// which looks back 4 KB, makes more bytes than zlib does, as it makes the same at all of them: of
/// 256 KB of source code 6, 11 and 25% at levels 2, 3 and 6. Alone, it was asked for.
const MAX_LEVEL_BESIDE_CPU: i32 = 1;

/// What is to be made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum JobKind {
    /// A raw stream.
    Stream,
    /// A part of one, which begins and ends with a byte.
    Part,
}

/// A job that the caller runs inline.
pub type InlineRun = RouterInlineRun<'static>;

/// Who is to compress something.
pub enum Assignment {
    /// An accelerator.
    Device(DeviceJob),
    /// The caller, which completes the inline run if the router was asked.
    Caller(Option<InlineRun>),
}

/// What an accelerator is to do.
pub struct DeviceJob {
    registry: &'static Registry,
    kind: JobKind,
    level: Level,
    window: Window,
}

/// Says who is to compress this at a level of zlib's.
pub fn assign(kind: JobKind, asked: i32, window: Window, uncompressed: &[u8]) -> Assignment {
    if uncompressed.len() < MIN_LEN || !LEVELS.contains(&asked) {
        return Assignment::Caller(None);
    }
    let registry = registry().filter(|registry| !registry.has_cpu || asked <= MAX_LEVEL_BESIDE_CPU);
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
    /// Has an accelerator compress this if it is its turn, and returns how many bytes that took;
    /// otherwise, or if it fails, it is left to the caller.
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
