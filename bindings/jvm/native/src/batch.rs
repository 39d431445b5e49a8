//! Batches of blocks: decompressed side by side, several streams interleaved on one core, and
//! compressed one after the other.

use jni_sys::{jlong, jlongArray, jobjectArray};
use pelton_codec::{BatchInflater, Error as CodecError, Format, Stream as BlockStream};
use pelton_z::api::Pool;

use crate::blocks;
use crate::env::Env;
use crate::error::Error;
use crate::stream::Wrap;
use crate::transfer::{Bytes, sized, with_staging};

/// Uncompressed bytes that are in memory of this library at a time.
const MAX_STAGED: usize = 8 << 20;
/// Largest number of blocks of a group.
const MAX_GROUP: usize = 64;
/// Numbers of a block in `spans`: source, its length, target, its length. The second becomes the
/// bytes that were used, the last the bytes that were written or an error.
const SPAN: usize = 4;

static INFLATERS: Pool<BatchInflater> = Pool::new();

struct Block {
    source: Bytes,
    target: Bytes,
}

/// Decompresses `count` blocks. Returns the number of blocks that failed, each of which has its
/// error in `spans`.
///
/// # Safety
/// As for [`crate::transfer::run`], for each block.
pub unsafe fn decompress(
    env: Env,
    wrap: Wrap,
    count: usize,
    sources: jobjectArray,
    targets: jobjectArray,
    spans: jlongArray,
) -> Result<i64, Error> {
    let format = match wrap {
        Wrap::Raw => Format::Deflate,
        Wrap::Zlib => Format::Zlib,
        Wrap::Gzip => Format::Gzip,
    };
    let mut failed = 0;
    let mut first = 0;
    while first < count {
        let mut numbers = [[0; SPAN]; MAX_GROUP];
        let wanted = (count - first).min(MAX_GROUP);
        let numbers = &mut numbers[..wanted];
        env.read_longs(spans, first * SPAN..(first + wanted) * SPAN, numbers.as_flattened_mut());
        // A group is a few blocks that fit into the staging buffer together, or a single one.
        let mut staged = 0;
        let len = numbers.iter().take_while(|span| {
            staged += (span[1] + span[3]) as usize;
            staged <= MAX_STAGED
        });
        let group = len.count().max(1);
        let numbers = &mut numbers[..group];
        let mut blocks = Vec::with_capacity(group);
        for (index, span) in (first..).zip(numbers.iter()) {
            let source = Bytes::of(env.element(sources, index), span[0], span[1] as i32);
            let target = Bytes::of(env.element(targets, index), span[2], span[3] as i32);
            blocks.push(Block { source, target });
        }
        // SAFETY: by this function's condition.
        unsafe { group_of(env, format, &blocks, numbers) }.ok_or(Error::OutOfMemory)?;
        failed += numbers.iter().filter(|span| span[3] < 0).count() as i64;
        env.write_longs(spans, first * SPAN, numbers.as_flattened());
        for block in &blocks {
            for bytes in [block.source, block.target] {
                if let Bytes::Array(array, ..) = bytes {
                    env.forget(array);
                }
            }
        }
        if env.has_exception() {
            return Err(Error::Argument);
        }
        first += group;
    }
    Ok(failed)
}

/// Compresses `count` blocks. Returns as [`decompress`].
///
/// # Safety
/// As for [`crate::transfer::run`], for each block.
pub unsafe fn compress(
    env: Env,
    wrap: Wrap,
    level: i32,
    count: usize,
    sources: jobjectArray,
    targets: jobjectArray,
    spans: jlongArray,
) -> Result<i64, Error> {
    blocks::compress(wrap, level, |stream| {
        let mut failed = 0;
        for index in 0..count {
            let mut span = [0; SPAN];
            env.read_longs(spans, index * SPAN..(index + 1) * SPAN, &mut span);
            let (source, target) = (env.element(sources, index), env.element(targets, index));
            // SAFETY: by this function's condition.
            let done = unsafe {
                let (from, to) =
                    (Bytes::of(source, span[0], span[1] as i32), Bytes::of(target, span[2], span[3] as i32));
                blocks::run(env, stream, from, to)
            };
            stream.reset();
            match done {
                Ok(step) => (span[1], span[3]) = (step.consumed as jlong, step.produced as jlong),
                Err(error) => {
                    span[3] = error as jlong;
                    failed += 1;
                }
            }
            env.write_longs(spans, index * SPAN, &span);
            env.forget(source);
            env.forget(target);
            if env.has_exception() {
                return Err(Error::Argument);
            }
        }
        Ok(failed)
    })
}

/// Decompresses one group; `None` if there is no memory.
///
/// # Safety
/// As for [`decompress`].
unsafe fn group_of(env: Env, format: Format, blocks: &[Block], spans: &mut [[jlong; SPAN]]) -> Option<()> {
    let in_arrays = |bytes: &dyn Fn(&Block) -> Bytes| {
        let len = |block| if let Bytes::Array(_, _, len) = bytes(block) { len } else { 0 };
        blocks.iter().map(len).sum()
    };
    let (staged_in, staged_out) = (in_arrays(&|block| block.source), in_arrays(&|block| block.target));
    with_staging(|staging| {
        let mut input = sized(&mut staging.input, staged_in)?;
        let mut output = sized(&mut staging.output, staged_out)?;
        let mut streams = Vec::with_capacity(blocks.len());
        for block in blocks {
            let source: &[u8] = match block.source {
                Bytes::Array(array, at, len) => {
                    let (copy, rest) = input.split_at_mut(len);
                    input = rest;
                    env.read(array, at, copy);
                    copy
                }
                Bytes::Memory(_, 0) => &[],
                // SAFETY: by this function's condition.
                Bytes::Memory(address, len) => unsafe { std::slice::from_raw_parts(address, len) },
            };
            let target: &mut [u8] = match block.target {
                Bytes::Array(_, _, len) => {
                    let (copy, rest) = output.split_at_mut(len);
                    output = rest;
                    copy
                }
                Bytes::Memory(_, 0) => &mut [],
                // SAFETY: by this function's condition; Java passes disjoint targets.
                Bytes::Memory(address, len) => unsafe { std::slice::from_raw_parts_mut(address, len) },
            };
            streams.push(BlockStream::new(format, source, target));
        }
        INFLATERS.with(BatchInflater::new, |inflater| inflater.inflate_batch(&mut streams))?;
        for ((stream, block), span) in streams.iter().zip(blocks).zip(spans) {
            match &stream.result {
                Ok(done) => {
                    if let Bytes::Array(array, at, _) = block.target {
                        env.write(array, at, &stream.output[..done.produced]);
                    }
                    (span[1], span[3]) = (done.consumed as jlong, done.produced as jlong);
                }
                Err(error) => span[3] = number(error) as jlong,
            }
        }
        Some(())
    })
}

fn number(error: &CodecError) -> Error {
    match error {
        CodecError::OutOfMemory { .. } => Error::OutOfMemory,
        CodecError::OutputTooSmall { .. } => Error::TooSmall,
        _ => Error::Corrupt,
    }
}
