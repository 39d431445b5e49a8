//! Decompression jobs for one-shot input.

use pelton_codec::Format;
use pelton_device_iaa::hw::aecs::decompress::HISTORY_BYTES;
use pelton_job::{BorrowedJob, Hints};

use super::caller::{DECODERS, NAME};
use super::registry::{Registry, registry};
use super::{MIN_LEN, new_decoder};
use crate::backoff::Backoff;
use crate::stats::Path;

/// Backoff for streams that may refer to data beyond an IAA's window. The IAA fails them, mostly
/// because they do.
static FAR_STREAMS: Backoff = Backoff::new();

/// Result of decompressing a raw stream.
pub struct Body {
    /// Bytes of the input that were read.
    pub consumed: usize,
    /// Bytes that were written.
    pub produced: usize,
    /// Decoder or device that did it.
    pub path: Path,
}

/// Decompresses a raw stream whose matches reach back at most `window` bytes. `None` if it is
/// incomplete or corrupt, or if the output is too small.
pub fn decompress(input: &[u8], output: &mut [u8], window: usize) -> Option<Body> {
    let registry = if output.len() < MIN_LEN { None } else { registry() };
    let may_be_far = window.min(output.len()) > HISTORY_BYTES;
    match registry.filter(|_| !may_be_far || FAR_STREAMS.should_try()) {
        Some(registry) => {
            let done = by_router(registry, input, output, window)?;
            match done.body.path {
                Path::DeviceOneShot if may_be_far => FAR_STREAMS.succeeded(),
                _ if may_be_far && done.has_failed => FAR_STREAMS.failed(),
                _ => {}
            }
            Some(done.body)
        }
        None => {
            let body = DECODERS.with(new_decoder, |decoder| decoder.decompress(input, output))??;
            Some(Body { consumed: body.consumed, produced: body.produced, path: Path::CpuOneShot })
        }
    }
}

/// The router's result, and whether a device failed the job before.
struct Done {
    body: Body,
    has_failed: bool,
}

fn by_router(registry: &'static Registry, input: &[u8], output: &mut [u8], window: usize) -> Option<Done> {
    let hints = Hints { window: u32::try_from(window).ok(), ..Hints::default() };
    let mut job = BorrowedJob::decompress(Format::Deflate, input, output).with_hints(hints);
    let done = registry.call(|router| router.run_one(&mut job)).ok()?;
    let path = if &*done.device == NAME { Path::CpuOneShot } else { Path::DeviceOneShot };
    let body = Body { consumed: done.consumed, produced: done.produced, path };
    Some(Done { body, has_failed: done.failed > 0 })
}
