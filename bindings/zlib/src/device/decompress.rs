//! Raw streams that are given whole, as jobs.

use pelton_codec::{Format, RawDecoder};
use pelton_job::{BorrowedJob, Hints};

use super::LEAST;
use super::caller::NAME;
use super::machine::{Machine, machine};
use super::patience::Patience;
use crate::pool::Pool;
use crate::settings::keeping_errno;
use crate::stats::Path;

/// The decoders of the process.
pub(super) static DECODERS: Pool<RawDecoder> = Pool::new();

/// Accelerators that fail streams, because those reach back too far.
static ACCELERATORS: Patience = Patience::new();

/// What was decompressed, and by what.
pub struct Body {
    /// Bytes of the input that were used.
    pub consumed: usize,
    /// Bytes that came out.
    pub produced: usize,
    /// What did it.
    pub path: Path,
}

/// Decompresses a raw stream of which no match reaches farther back than `window` bytes. None if it isn't whole, there is no room
/// for all of it, or anything is wrong with it.
pub fn decompress(input: &[u8], output: &mut [u8], window: usize) -> Option<Body> {
    let machine = if output.len() < LEAST { None } else { machine() };
    match machine.filter(|_| ACCELERATORS.is_left()) {
        Some(machine) => by_router(machine, input, output, window),
        None => {
            let body = DECODERS.with(RawDecoder::new, |decoder| decoder.decompress(input, output))??;
            Some(Body { consumed: body.consumed, produced: body.produced, path: Path::CpuWhole })
        }
    }
}

fn by_router(machine: &Machine, input: &[u8], output: &mut [u8], window: usize) -> Option<Body> {
    let hints = Hints { window: u32::try_from(window).ok(), ..Hints::default() };
    let mut job = BorrowedJob::decompress(Format::Deflate, input, output).with_hints(hints);
    let done = keeping_errno(|| machine.router.run_one(&mut job)).ok()?;
    if done.failed > 0 {
        ACCELERATORS.in_vain();
    } else {
        ACCELERATORS.succeeded();
    }
    let path = if &*done.device == NAME { Path::CpuWhole } else { Path::DeviceWhole };
    Some(Body { consumed: done.consumed, produced: done.produced, path })
}
