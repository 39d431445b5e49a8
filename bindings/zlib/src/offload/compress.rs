//! What is compressed, as jobs.

use std::ops::RangeInclusive;

use pelton_codec::{Format, Level, Window};
use pelton_job::{BorrowedJob, Hints, InlineRun as RouterInlineRun};

use super::LEAST;
use super::caller::NAME;
use super::registry::{Machine, machine};

/// The levels of zlib's that anybody is asked about: all that compress. What an accelerator has not
/// it refuses, which is counted.
const ASKED: RangeInclusive<i32> = 1..=9;

/// What it is asked for at least: at level 1 an IAA writes the fixed codes, which take 13 to 29%
/// more bytes than zlib's level 1; with codes made for the data it is 14% fewer to 1% more (by its
/// model: docs/zlib.md).
const LOWEST: i32 = 2;

/// With the caller's thread beside it, an accelerator is asked up to this level. Of others an IAA,
/// which looks back 4 KB, makes more bytes than zlib does, as it makes the same at all of them: of
/// 256 KB of source code 6, 11 and 25% at levels 2, 3 and 6. Alone, it was asked for.
const HIGHEST_BESIDE: i32 = 1;

/// What is to be made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A raw stream.
    Whole,
    /// A part of one, which begins and ends with a byte.
    Part,
}

/// A job that the caller runs inline.
pub type InlineRun = RouterInlineRun<'static>;

/// Who is to compress something.
pub enum Who {
    /// An accelerator.
    There(There),
    /// The caller, which completes the inline run if the router was asked.
    Here(Option<InlineRun>),
}

/// What an accelerator is to do.
pub struct There {
    machine: &'static Machine,
    kind: Kind,
    level: Level,
    window: Window,
}

/// Says who is to compress this at a level of zlib's.
pub fn ask(kind: Kind, asked: i32, window: Window, plain: &[u8]) -> Who {
    if plain.len() < LEAST || !ASKED.contains(&asked) {
        return Who::Here(None);
    }
    let machine = machine().filter(|machine| !machine.has_cpu || asked <= HIGHEST_BESIDE);
    match (machine, Level::new(Format::Deflate, asked.max(LOWEST))) {
        (Some(machine), Ok(level)) => {
            let there = There { machine, kind, level, window };
            match machine.call(|router| router.inline_run(&there.job(plain, &mut []).view(), NAME)) {
                Some(run) => Who::Here(Some(run)),
                None => Who::There(there),
            }
        }
        _ => Who::Here(None),
    }
}

impl Who {
    /// Has an accelerator compress this if it is its turn, and returns how many bytes that took;
    /// otherwise, or if it fails, it is left to the caller.
    pub fn run(self, plain: &[u8], room: &mut [u8]) -> Result<usize, Option<InlineRun>> {
        match self {
            Who::There(there) => there.run(plain, room),
            Who::Here(run) => Err(run),
        }
    }
}

impl There {
    fn job<'a>(&self, plain: &'a [u8], room: &'a mut [u8]) -> BorrowedJob<'a> {
        let job = match self.kind {
            Kind::Whole => BorrowedJob::compress(Format::Deflate, self.level, plain, room),
            Kind::Part => BorrowedJob::compress_part(self.level, plain, room),
        };
        job.with_hints(Hints { window: u32::try_from(self.window.bytes()).ok(), ..Hints::default() })
    }

    /// As [`Who::run`].
    pub fn run(self, plain: &[u8], room: &mut [u8]) -> Result<usize, Option<InlineRun>> {
        let mut job = self.job(plain, room);
        let done = self.machine.call(|router| router.run_or_inline(&mut job, NAME));
        done.map(|done| done.produced)
    }
}
