//! Blocks of LZ4 and Snappy, which have no streams: each is compressed or decompressed in one call
//! of the codec.

use pelton_codec::{Decoder, Error as CodecError, Format, Lz4Encoder, decompress_bound};
use pelton_z::api::Pool;

use crate::env::Env;
use crate::error::Error;
use crate::transfer::{Bytes, Staging, sized, with_staging};

static ENCODERS: Pool<Lz4Encoder> = Pool::new();
static DECODERS: Pool<Decoder> = Pool::new();

/// Compresses a block of LZ4. Returns the size of the compressed block.
///
/// # Errors
/// The target is too small; the source is longer than LZ4's blocks; there is no memory.
///
/// # Safety
/// As for [`crate::transfer::run`]; source and target do not overlap.
pub unsafe fn compress_lz4(env: Env, source: Bytes, target: Bytes) -> Result<i64, Error> {
    let done = with_staging(|Staging { input, output }| {
        // SAFETY: by this function's condition.
        let input = unsafe { staged(env, source, input) }?;
        // The encoder wants capacity for the largest result, however small this one is.
        let output = sized(output, Lz4Encoder::bound(input.len()))?;
        let done = ENCODERS.with(Lz4Encoder::default, |encoder| encoder.compress(input, output))?;
        Some(done.map_err(reason).and_then(|produced| {
            if produced > target.len() {
                return Err(Error::TooSmall);
            }
            // SAFETY: by this function's condition; the target suffices.
            unsafe { target.copy_from(env, &output[..produced]) };
            Ok(produced as i64)
        }))
    });
    done.unwrap_or(Err(Error::OutOfMemory))
}

/// Decompresses a block, which is all of the source. Returns the size of the decompressed block.
/// Memory for it follows the bytes of the source, however large the target is.
///
/// # Errors
/// The block is corrupt or incomplete; the target is too small; there is no memory.
///
/// # Safety
/// As for [`compress_lz4`].
pub unsafe fn decompress(env: Env, format: Format, source: Bytes, target: Bytes) -> Result<i64, Error> {
    let capacity = target.len().min(decompress_bound(format, source.len()));
    let done = with_staging(|Staging { input, output }| {
        // SAFETY: by this function's condition.
        let input = unsafe { staged(env, source, input) }?;
        let output = match target {
            Bytes::Array(..) => sized(output, capacity)?,
            Bytes::Memory(_, 0) => &mut [],
            // SAFETY: by this function's condition.
            Bytes::Memory(address, _) => unsafe { std::slice::from_raw_parts_mut(address, capacity) },
        };
        let done = DECODERS.with(Decoder::new, |decoder| decoder.decompress(format, input, output))?;
        if let (Ok(done), Bytes::Array(array, at, _)) = (&done, target) {
            env.write(array, at, &output[..done.produced]);
        }
        Some(done.map(|done| done.produced as i64).map_err(reason))
    });
    done.unwrap_or(Err(Error::OutOfMemory))
}

/// Returns the bytes of a source, those of an array as a copy; `None` if there is no memory.
///
/// # Safety
/// As for [`compress_lz4`].
unsafe fn staged(env: Env, source: Bytes, copy: &mut Vec<u8>) -> Option<&[u8]> {
    Some(match source {
        Bytes::Array(array, at, len) => {
            let copy = sized(copy, len)?;
            env.read(array, at, copy);
            copy
        }
        Bytes::Memory(_, 0) => &[],
        // SAFETY: by this function's condition.
        Bytes::Memory(address, len) => unsafe { std::slice::from_raw_parts(address, len) },
    })
}

fn reason(error: CodecError) -> Error {
    match error {
        CodecError::OutOfMemory { .. } => Error::OutOfMemory,
        CodecError::OutputTooSmall { .. } => Error::TooSmall,
        CodecError::Truncated { .. } => Error::Incomplete,
        CodecError::InputTooLarge { .. } => Error::Argument,
        _ => Error::Corrupt,
    }
}
