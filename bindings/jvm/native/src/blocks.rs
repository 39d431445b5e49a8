//! Blocks: streams that begin and end in one call, on streams of a pool.
//!
//! A block needs no handle, so that Java has nothing to close.

use pelton_z::api::Pool;

use crate::env::Env;
use crate::error::Error;
use crate::stream::{
    BUFFER_ERROR, DATA_ERROR, FINISH, MEMORY_ERROR, NEED_DICTIONARY, OK, STREAM_END, Step, Stream, Wrap,
};
use crate::transfer::{self, Bytes, Parameters};

const WRAPS: usize = 3;
/// Levels 0 to 9, and the default level as -1.
const LEVELS: usize = 11;

/// A stream that may fail to open.
type Opened = Option<Box<Stream>>;

static COMPRESSORS: [[Pool<Opened>; LEVELS]; WRAPS] = [const { [const { Pool::new() }; LEVELS] }; WRAPS];
static DECOMPRESSORS: [Pool<Opened>; WRAPS] = [const { Pool::new() }; WRAPS];

/// Runs `work` with a compressing stream.
///
/// # Errors
/// Those of `work`; a wrong level; no memory.
pub fn compress<T>(
    wrap: Wrap,
    level: i32,
    work: impl FnOnce(&mut Stream) -> Result<T, Error>,
) -> Result<T, Error> {
    let index = usize::try_from(level + 1).ok().filter(|&index| index < LEVELS).ok_or(Error::Argument)?;
    with(&COMPRESSORS[wrap as usize][index], || Stream::compress(wrap, level, 0).ok(), work)
}

/// Runs `work` with a decompressing stream.
///
/// # Errors
/// Those of `work`; no memory.
pub fn decompress<T>(wrap: Wrap, work: impl FnOnce(&mut Stream) -> Result<T, Error>) -> Result<T, Error> {
    with(&DECOMPRESSORS[wrap as usize], || Stream::decompress(wrap).ok(), work)
}

fn with<T>(
    pool: &Pool<Opened>,
    open: impl FnOnce() -> Opened,
    work: impl FnOnce(&mut Stream) -> Result<T, Error>,
) -> Result<T, Error> {
    let done = pool.with(open, |opened| {
        let result = opened.as_deref_mut().map(work);
        if opened.as_deref_mut().is_some_and(|stream| stream.reset() != OK) {
            *opened = None;
        }
        result
    });
    done.flatten().unwrap_or(Err(Error::OutOfMemory))
}

/// Compresses or decompresses a block.
///
/// # Errors
/// The block has not come to its end.
///
/// # Safety
/// As for [`transfer::run`].
pub unsafe fn run(env: Env, stream: &mut Stream, source: Bytes, target: Bytes) -> Result<Step, Error> {
    // SAFETY: by this function's condition.
    let step = unsafe { transfer::run(env, stream, source, target, FINISH, Parameters::Kept) };
    let step = step.ok_or(Error::OutOfMemory)?;
    match step.code {
        STREAM_END => Ok(step),
        MEMORY_ERROR => Err(Error::OutOfMemory),
        NEED_DICTIONARY => Err(Error::Dictionary),
        DATA_ERROR => Err(Error::Corrupt),
        OK | BUFFER_ERROR if step.consumed == source.len() && step.produced < target.len() => {
            Err(Error::Incomplete)
        }
        OK | BUFFER_ERROR => Err(Error::TooSmall),
        _ => Err(Error::Internal),
    }
}
