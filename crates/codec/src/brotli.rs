//! Brotli streams (RFC 7932), on the `brotli` crate.

use brotli::enc::StandardAlloc;
use brotli::enc::encode::{
    BrotliEncoderMaxCompressedSize, BrotliEncoderOperation, BrotliEncoderParameter, BrotliEncoderStateStruct,
};
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState};

use crate::{Error, Format, Level, Progress};

const FORMAT: Format = Format::Brotli;
/// The decoder counts its input in 32 bits.
const MAX_INPUT: usize = u32::MAX as usize;

pub(crate) fn decompress(input: &[u8], output: &mut [u8]) -> Result<Progress, Error> {
    if input.len() > MAX_INPUT {
        return Err(Error::InputTooLarge { format: FORMAT, len: input.len(), limit: MAX_INPUT });
    }
    // "Strict" is without the large-window extension, so a stream can ask for 16 MiB of window at
    // most, not 1 GiB.
    let alloc = StandardAlloc::default;
    let mut state = BrotliState::new_strict(alloc(), alloc(), alloc());
    let (mut available_in, mut consumed) = (input.len(), 0);
    let (mut available_out, mut produced) = (output.len(), 0);
    let mut total_out = 0;
    let result = BrotliDecompressStream(
        &mut available_in,
        &mut consumed,
        input,
        &mut available_out,
        &mut produced,
        output,
        &mut total_out,
        &mut state,
    );
    match result {
        BrotliResult::ResultSuccess => Ok(Progress { consumed, produced }),
        BrotliResult::NeedsMoreInput => Err(Error::Truncated { format: FORMAT }),
        BrotliResult::NeedsMoreOutput => Err(Error::OutputTooSmall { format: FORMAT, room: output.len() }),
        BrotliResult::ResultFailure => Err(explain(state.error_code as i32)),
    }
}

/// The library's `BrotliDecoderErrorCode`, a type that it does not export.
fn explain(code: i32) -> Error {
    let what = match code {
        -7..=-4 => "invalid Huffman code",
        -8 => "invalid context map",
        -10 | -9 => "a metablock's data is longer than its length",
        -12 | -11 => "invalid reference into the built-in dictionary",
        -13 => "a window size that RFC 7932 does not have",
        -15 | -14 => "padding bits are not zero",
        -16 => "a distance reaches before the start of the data",
        -30..=-21 => return Error::OutOfMemory { format: FORMAT },
        _ => "invalid metablock header",
    };
    Error::Corrupt { format: FORMAT, what }
}

pub(crate) fn compress(level: Level, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
    let mut state = BrotliEncoderStateStruct::new(StandardAlloc::default());
    // Levels are 0 to 11. The size lets the encoder choose tables that suit a block; more than it
    // can say is "large".
    let size = u32::try_from(input.len()).unwrap_or(u32::MAX);
    state.set_parameter(BrotliEncoderParameter::BROTLI_PARAM_QUALITY, level.value() as u32);
    state.set_parameter(BrotliEncoderParameter::BROTLI_PARAM_SIZE_HINT, size);
    let (mut available_in, mut consumed) = (input.len(), 0);
    let (mut available_out, mut produced) = (output.len(), 0);
    let sound = state.compress_stream(
        BrotliEncoderOperation::BROTLI_OPERATION_FINISH,
        &mut available_in,
        input,
        &mut consumed,
        &mut available_out,
        output,
        &mut produced,
        &mut None,
        &mut |_, _, _, _| {},
    );
    if sound && state.is_finished() {
        Ok(produced)
    } else {
        Err(Error::OutputTooSmall { format: FORMAT, room: output.len() })
    }
}

pub(crate) fn compress_bound(len: usize) -> usize {
    BrotliEncoderMaxCompressedSize(len)
}
