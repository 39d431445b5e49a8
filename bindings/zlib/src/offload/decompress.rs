//! Raw streams that are given whole, as jobs.

use pelton_codec::{Format, RawDecoder};
use pelton_device_iaa::hw::aecs::decompress::HISTORY_BYTES;
use pelton_job::{BorrowedJob, Hints};

use super::LEAST;
use super::caller::{DECODERS, NAME};
use super::registry::{Machine, machine};
use crate::backoff::Patience;
use crate::stats::Path;

/// Streams that may reach back farther than an IAA remembers, and that it failed: because they do,
/// mostly.
static TOO_FAR: Patience = Patience::new();

/// What was decompressed, and by what.
pub struct Body {
    /// Bytes of the input that were used.
    pub consumed: usize,
    /// Bytes that came out.
    pub produced: usize,
    /// What did it.
    pub path: Path,
}

/// Decompresses a raw stream of which no match reaches farther back than `window` bytes. None if it
/// isn't whole, there is no room for all of it, or anything is wrong with it.
pub fn decompress(input: &[u8], output: &mut [u8], window: usize) -> Option<Body> {
    let machine = if output.len() < LEAST { None } else { machine() };
    let may_be_far = window.min(output.len()) > HISTORY_BYTES;
    match machine.filter(|_| !may_be_far || TOO_FAR.is_left()) {
        Some(machine) => {
            let done = by_router(machine, input, output, window)?;
            match done.body.path {
                Path::DeviceWhole if may_be_far => TOO_FAR.succeeded(),
                _ if may_be_far && done.has_failed => TOO_FAR.in_vain(),
                _ => {}
            }
            Some(done.body)
        }
        None => {
            let body = DECODERS.with(RawDecoder::new, |decoder| decoder.decompress(input, output))??;
            Some(Body { consumed: body.consumed, produced: body.produced, path: Path::CpuWhole })
        }
    }
}

/// What a router had done, and whether a device failed before.
struct Done {
    body: Body,
    has_failed: bool,
}

fn by_router(machine: &'static Machine, input: &[u8], output: &mut [u8], window: usize) -> Option<Done> {
    let hints = Hints { window: u32::try_from(window).ok(), ..Hints::default() };
    let mut job = BorrowedJob::decompress(Format::Deflate, input, output).with_hints(hints);
    let done = machine.call(|router| router.run_one(&mut job)).ok()?;
    let path = if &*done.device == NAME { Path::CpuWhole } else { Path::DeviceWhole };
    let body = Body { consumed: done.consumed, produced: done.produced, path };
    Some(Done { body, has_failed: done.failed > 0 })
}
