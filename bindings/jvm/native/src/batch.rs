//! Batches of blocks: on accelerators, if any are configured, with all blocks in flight. Otherwise
//! blocks are decompressed side by side, several streams interleaved on one core, and compressed
//! one after the other.

use jni_sys::{jlong, jlongArray, jobjectArray};
use pelton_codec::{BatchInflater, Error as CodecError, Format, Level, Stream as BlockStream};
use pelton_job::{Job, OutputSize};
use pelton_z::api::{MIN_DEVICE_LEVEL, Pool, run_batch, takes_batches};

use crate::blocks;
use crate::env::Env;
use crate::error::Error;
use crate::stream::Wrap;
use crate::transfer::{Bytes, sized, with_staging};

/// Bytes that are in memory of this library at a time.
const MAX_STAGED: usize = 8 << 20;
/// Largest number of blocks of a group.
const MAX_GROUP: usize = 64;
/// Numbers of a block in `spans`: source, its length, target, its length. The second becomes the
/// bytes that were used, the last the bytes that were written or an error.
const SPAN: usize = 4;
/// Level that zlib's default stands for.
const DEFAULT_LEVEL: i32 = 6;

static INFLATERS: Pool<BatchInflater> = Pool::new();

struct Block {
    source: Bytes,
    target: Bytes,
    /// Bytes that were used and written, once the block is done.
    result: Option<Result<(usize, usize), Error>>,
}

/// The blocks of a call: arrays or nulls, and `spans`.
#[derive(Clone, Copy)]
pub struct Batch {
    pub count: usize,
    pub sources: jobjectArray,
    pub targets: jobjectArray,
    pub spans: jlongArray,
}

/// Decompresses blocks. Returns the number of blocks that failed, each of which has its error in
/// `spans`.
///
/// # Errors
/// There is no memory, or an array is missing.
///
/// # Safety
/// As for [`crate::transfer::run`], for each block.
pub unsafe fn decompress(env: Env, wrap: Wrap, batch: Batch) -> Result<i64, Error> {
    let format = format_of(wrap);
    for_groups(env, batch, |group| {
        if takes_batches(None) {
            // SAFETY: by this function's condition.
            unsafe {
                on_devices(env, group, |input, capacity| {
                    Some(Job::decompress(format, input, OutputSize::AtMost(capacity)))
                });
            }
        }
        // SAFETY: by this function's condition.
        unsafe { interleaved(env, format, group) }.ok_or(Error::OutOfMemory)
    })
}

/// Compresses blocks. Returns as [`decompress`].
///
/// # Errors
/// As for [`decompress`]; a wrong level.
///
/// # Safety
/// As for [`crate::transfer::run`], for each block.
pub unsafe fn compress(env: Env, wrap: Wrap, level: i32, batch: Batch) -> Result<i64, Error> {
    let asked = if level < 0 { DEFAULT_LEVEL } else { level };
    let device_level = Level::new(format_of(wrap), asked.max(MIN_DEVICE_LEVEL)).ok();
    for_groups(env, batch, |group| {
        if takes_batches(Some(asked)) {
            // SAFETY: by this function's condition.
            unsafe {
                on_devices(env, group, |input, _| Some(Job::compress(format_of(wrap), device_level?, input)));
            }
        }
        blocks::compress(wrap, level, |stream| {
            for block in group.iter_mut().filter(|block| block.result.is_none()) {
                // SAFETY: by this function's condition.
                let done = unsafe { blocks::run(env, stream, block.source, block.target) };
                block.result = Some(done.map(|step| (step.consumed, step.produced)));
                stream.reset();
            }
            Ok(())
        })
    })
}

fn format_of(wrap: Wrap) -> Format {
    match wrap {
        Wrap::Raw => Format::Deflate,
        Wrap::Zlib => Format::Zlib,
        Wrap::Gzip => Format::Gzip,
    }
}

/// Calls `run` with the blocks in groups, of a few that fit into the staging buffer together or of
/// a single one, and stores their results. Returns the number of blocks that failed.
fn for_groups(
    env: Env,
    batch: Batch,
    mut run: impl FnMut(&mut [Block]) -> Result<(), Error>,
) -> Result<i64, Error> {
    if !env.reserve_references(2 * MAX_GROUP) {
        return Err(Error::OutOfMemory);
    }
    let (mut failed, mut first) = (0, 0);
    while first < batch.count {
        let mut numbers = [[0; SPAN]; MAX_GROUP];
        let numbers = &mut numbers[..(batch.count - first).min(MAX_GROUP)];
        let range = first * SPAN..(first + numbers.len()) * SPAN;
        env.read_longs(batch.spans, range, numbers.as_flattened_mut());
        let mut staged = 0;
        let fitting = numbers.iter().take_while(|span| {
            staged += (span[1] + span[3]) as usize;
            staged <= MAX_STAGED
        });
        let len = fitting.count().max(1);
        let numbers = &mut numbers[..len];
        let mut group: Vec<Block> = (first..)
            .zip(numbers.iter())
            .map(|(index, span)| Block {
                source: Bytes::of(env.element(batch.sources, index), span[0], span[1] as i32),
                target: Bytes::of(env.element(batch.targets, index), span[2], span[3] as i32),
                result: None,
            })
            .collect();
        run(&mut group)?;
        for (block, span) in group.iter().zip(numbers.iter_mut()) {
            match block.result.unwrap_or(Err(Error::Internal)) {
                Ok((consumed, produced)) => (span[1], span[3]) = (consumed as jlong, produced as jlong),
                Err(error) => {
                    span[3] = error as jlong;
                    failed += 1;
                }
            }
            for bytes in [block.source, block.target] {
                if let Bytes::Array(array, ..) = bytes {
                    env.forget(array);
                }
            }
        }
        env.write_longs(batch.spans, first * SPAN, numbers.as_flattened());
        if env.has_exception() {
            return Err(Error::Argument);
        }
        first += len;
    }
    Ok(failed)
}

/// Runs a group's blocks on accelerators. Blocks without a result are left to the processor, which
/// also finds out why one is corrupt.
///
/// # Safety
/// As for [`decompress`].
unsafe fn on_devices(env: Env, group: &mut [Block], job: impl Fn(Vec<u8>, usize) -> Option<Job>) {
    let mut jobs = Vec::with_capacity(group.len());
    for block in &*group {
        let mut input = Vec::new();
        if input.try_reserve_exact(block.source.len()).is_err() {
            return;
        }
        input.resize(block.source.len(), 0);
        // SAFETY: by this function's condition.
        unsafe { block.source.copy_to(env, &mut input) };
        jobs.extend(job(input, block.target.len()));
    }
    if jobs.len() < group.len() {
        return;
    }
    for (block, output) in group.iter_mut().zip(run_batch(jobs)) {
        if let Some(done) = output.filter(|done| done.output.len() <= block.target.len()) {
            // SAFETY: by this function's condition; the target suffices.
            unsafe { block.target.copy_from(env, &done.output) };
            block.result = Some(Ok((done.consumed, done.output.len())));
        }
    }
}

/// Decompresses the blocks of a group that have no result; `None` if there is no memory.
///
/// # Safety
/// As for [`decompress`].
unsafe fn interleaved(env: Env, format: Format, group: &mut [Block]) -> Option<()> {
    let rest: Vec<&mut Block> = group.iter_mut().filter(|block| block.result.is_none()).collect();
    let staged = |bytes: Bytes| if let Bytes::Array(_, _, len) = bytes { len } else { 0 };
    let staged_in = rest.iter().map(|block| staged(block.source)).sum();
    let staged_out = rest.iter().map(|block| staged(block.target)).sum();
    with_staging(|staging| {
        let mut input = sized(&mut staging.input, staged_in)?;
        let mut output = sized(&mut staging.output, staged_out)?;
        let mut streams = Vec::with_capacity(rest.len());
        for block in &rest {
            let source: &[u8] = match block.source {
                Bytes::Array(array, at, len) => {
                    let (copy, others) = input.split_at_mut(len);
                    input = others;
                    env.read(array, at, copy);
                    copy
                }
                Bytes::Memory(_, 0) => &[],
                // SAFETY: by this function's condition.
                Bytes::Memory(address, len) => unsafe { std::slice::from_raw_parts(address, len) },
            };
            let target: &mut [u8] = match block.target {
                Bytes::Array(_, _, len) => {
                    let (copy, others) = output.split_at_mut(len);
                    output = others;
                    copy
                }
                Bytes::Memory(_, 0) => &mut [],
                // SAFETY: by this function's condition; Java passes disjoint targets.
                Bytes::Memory(address, len) => unsafe { std::slice::from_raw_parts_mut(address, len) },
            };
            streams.push(BlockStream::new(format, source, target));
        }
        INFLATERS.with(BatchInflater::new, |inflater| inflater.inflate_batch(&mut streams))?;
        for (stream, block) in streams.iter().zip(rest) {
            if let (Ok(done), Bytes::Array(array, at, _)) = (&stream.result, block.target) {
                env.write(array, at, &stream.output[..done.produced]);
            }
            block.result = Some(match &stream.result {
                Ok(done) => Ok((done.consumed, done.produced)),
                Err(CodecError::OutOfMemory { .. }) => Err(Error::OutOfMemory),
                Err(CodecError::OutputTooSmall { .. }) => Err(Error::TooSmall),
                Err(CodecError::Truncated { .. }) => Err(Error::Incomplete),
                Err(_) => Err(Error::Corrupt),
            });
        }
        Some(())
    })
}
