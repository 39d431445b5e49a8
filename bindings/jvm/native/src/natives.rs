//! Native methods of `org.pelton.Native`: streams, single blocks, batches, settings.
//!
//! Each takes bytes as an array with an index, or as null with an address. Each returns a number
//! that is negative for an error ([`Error`]), so that exceptions are made in Java, by class and
//! text of the host.

use std::ffi::{CString, c_void};
use std::panic::catch_unwind;

use jni_sys::{JNIEnv, jbyteArray, jclass, jint, jlong, jlongArray, jobject, jobjectArray};
use pelton_codec::Format;
use pelton_z::api::{configure, statistics};

use crate::batch::Batch;
use crate::env::{Env, Method};
use crate::error::{Error, guarded};
use crate::handles::{self, Owner};
use crate::stream::{
    DATA_ERROR, MEMORY_ERROR, NEED_DICTIONARY, OK, STREAM_END, STREAM_ERROR, Step, Stream, Wrap,
};
use crate::transfer::{self, Bytes, Parameters};
use crate::{batch, blocks, one_shot, zip};

/// Number of the interface between library and classes, which `org.pelton.Native.ABI` repeats. A
/// change of any method here is another number.
pub const ABI: jint = 2;

/// Bit of a stream's result: the stream has ended.
const ENDED: i64 = 1 << 62;

/// The table of methods.
pub fn methods() -> Vec<Method> {
    vec![
        (c"compressor", c"(II)J", compressor as *const c_void),
        (c"decompressor", c"(I)J", decompressor as *const c_void),
        (c"close", c"(J)V", close as *const c_void),
        (c"reset", c"(J)J", reset as *const c_void),
        (c"compressBlock", c"(II[BJI[BJI)J", compress_block as *const c_void),
        (c"decompressBlock", c"(I[BJI[BJI)J", decompress_block as *const c_void),
        (c"compressLz4", c"([BJI[BJI)J", compress_lz4 as *const c_void),
        (c"decompressLz4", c"([BJI[BJI)J", decompress_lz4 as *const c_void),
        (c"decompressSnappy", c"([BJI[BJI)J", decompress_snappy as *const c_void),
        (c"compressAll", c"(III[Ljava/lang/Object;[Ljava/lang/Object;[J)J", compress_all as *const c_void),
        (c"stream", c"(J[BJI[BJII)J", stream as *const c_void),
        (c"setDictionary", c"(J[BII)J", set_dictionary as *const c_void),
        (c"decompressAll", c"(II[Ljava/lang/Object;[Ljava/lang/Object;[J)J", decompress_all as *const c_void),
        (c"address", c"(Ljava/nio/ByteBuffer;)J", address as *const c_void),
        (c"configure", c"([Ljava/lang/String;)V", set_up as *const c_void),
        (c"statistics", c"()Ljava/lang/String;", counters as *const c_void),
        (c"takeOver", c"([B)Ljava/lang/String;", take_over as *const c_void),
        (c"zipStatistics", c"()Ljava/lang/String;", zip_counters as *const c_void),
    ]
}

fn opened(stream: Result<Box<Stream>, i32>) -> Result<i64, Error> {
    let stream =
        stream.map_err(|code| if code == STREAM_ERROR { Error::Argument } else { Error::OutOfMemory })?;
    handles::open(Owner::Pelton, stream).ok_or(Error::OutOfMemory)
}

unsafe extern "system" fn compressor(_: *mut JNIEnv, _: jclass, format: jint, level: jint) -> jlong {
    guarded(|| {
        let wrap = Wrap::of(format).ok_or(Error::Argument)?;
        opened(Stream::compress(wrap, level, 0))
    })
}

unsafe extern "system" fn decompressor(_: *mut JNIEnv, _: jclass, format: jint) -> jlong {
    guarded(|| opened(Stream::decompress(Wrap::of(format).ok_or(Error::Argument)?)))
}

unsafe extern "system" fn close(_: *mut JNIEnv, _: jclass, handle: jlong) {
    guarded(|| {
        handles::close(handle);
        Ok(0)
    });
}

unsafe extern "system" fn reset(_: *mut JNIEnv, _: jclass, handle: jlong) -> jlong {
    guarded(|| match handles::with(handle, Stream::reset)? {
        OK => Ok(0),
        _ => Err(Error::OutOfMemory),
    })
}

/// Packs the bytes used and written, of at most 31 bits each.
fn packed(step: Step) -> i64 {
    step.consumed as i64 | (step.produced as i64) << 31
}

/// Compresses a block as a stream of its own. Returns the bytes used of the source, and those
/// written in the bits above 31.
unsafe extern "system" fn compress_block(
    env: *mut JNIEnv,
    _: jclass,
    format: jint,
    level: jint,
    source: jbyteArray,
    source_at: jlong,
    source_len: jint,
    target: jbyteArray,
    target_at: jlong,
    target_len: jint,
) -> jlong {
    guarded(|| {
        let wrap = Wrap::of(format).ok_or(Error::Argument)?;
        let (source, target) =
            (Bytes::of(source, source_at, source_len), Bytes::of(target, target_at, target_len));
        // SAFETY: the virtual machine's own pointer and references; Java checks ranges and keeps
        // the memory during the call.
        blocks::compress(wrap, level, |stream| unsafe { blocks::run(Env::new(env), stream, source, target) })
            .map(packed)
    })
}

/// As [`compress_block`], for decompression.
unsafe extern "system" fn decompress_block(
    env: *mut JNIEnv,
    _: jclass,
    format: jint,
    source: jbyteArray,
    source_at: jlong,
    source_len: jint,
    target: jbyteArray,
    target_at: jlong,
    target_len: jint,
) -> jlong {
    guarded(|| {
        let wrap = Wrap::of(format).ok_or(Error::Argument)?;
        let (source, target) =
            (Bytes::of(source, source_at, source_len), Bytes::of(target, target_at, target_len));
        // SAFETY: as in `compress_block`.
        blocks::decompress(wrap, |stream| unsafe { blocks::run(Env::new(env), stream, source, target) })
            .map(packed)
    })
}

/// Compresses a block of LZ4 ([`one_shot::compress_lz4`]). Returns the bytes written.
unsafe extern "system" fn compress_lz4(
    env: *mut JNIEnv,
    _: jclass,
    source: jbyteArray,
    source_at: jlong,
    source_len: jint,
    target: jbyteArray,
    target_at: jlong,
    target_len: jint,
) -> jlong {
    guarded(|| {
        let (source, target) =
            (Bytes::of(source, source_at, source_len), Bytes::of(target, target_at, target_len));
        // SAFETY: as in `compress_block`.
        unsafe { one_shot::compress_lz4(Env::new(env), source, target) }
    })
}

/// Decompresses a block of LZ4 ([`one_shot::decompress`]). Returns the bytes written.
unsafe extern "system" fn decompress_lz4(
    env: *mut JNIEnv,
    _: jclass,
    source: jbyteArray,
    source_at: jlong,
    source_len: jint,
    target: jbyteArray,
    target_at: jlong,
    target_len: jint,
) -> jlong {
    guarded(|| {
        let (source, target) =
            (Bytes::of(source, source_at, source_len), Bytes::of(target, target_at, target_len));
        // SAFETY: as in `compress_block`.
        unsafe { one_shot::decompress(Env::new(env), Format::Lz4, source, target) }
    })
}

/// As [`decompress_lz4`], for Snappy.
unsafe extern "system" fn decompress_snappy(
    env: *mut JNIEnv,
    _: jclass,
    source: jbyteArray,
    source_at: jlong,
    source_len: jint,
    target: jbyteArray,
    target_at: jlong,
    target_len: jint,
) -> jlong {
    guarded(|| {
        let (source, target) =
            (Bytes::of(source, source_at, source_len), Bytes::of(target, target_at, target_len));
        // SAFETY: as in `compress_block`.
        unsafe { one_shot::decompress(Env::new(env), Format::Snappy, source, target) }
    })
}

/// Compresses blocks one after the other ([`batch::compress`]). Returns as [`decompress_all`].
unsafe extern "system" fn compress_all(
    env: *mut JNIEnv,
    _: jclass,
    format: jint,
    level: jint,
    count: jint,
    sources: jobjectArray,
    targets: jobjectArray,
    spans: jlongArray,
) -> jlong {
    guarded(|| {
        let wrap = Wrap::of(format).ok_or(Error::Argument)?;
        let count = usize::try_from(count).map_err(|_| Error::Argument)?;
        // SAFETY: as in `compress_block`, for every block.
        unsafe { batch::compress(Env::new(env), wrap, level, Batch { count, sources, targets, spans }) }
    })
}

/// Compresses or decompresses a piece of a stream, with zlib's flush mode. Returns as
/// [`compress_block`], and bit 62 if the stream has ended.
unsafe extern "system" fn stream(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    source: jbyteArray,
    source_at: jlong,
    source_len: jint,
    target: jbyteArray,
    target_at: jlong,
    target_len: jint,
    flush: jint,
) -> jlong {
    guarded(|| {
        // SAFETY: as in `compress_block`.
        let env = unsafe { Env::new(env) };
        let (source, target) =
            (Bytes::of(source, source_at, source_len), Bytes::of(target, target_at, target_len));
        let step = handles::with(handle, |stream| {
            // SAFETY: as in `compress_block`.
            unsafe { transfer::run(env, stream, source, target, flush, Parameters::Kept) }
        })?;
        let step = step.ok_or(Error::OutOfMemory)?;
        match step.code {
            STREAM_END => Ok(packed(step) | ENDED),
            MEMORY_ERROR => Err(Error::OutOfMemory),
            DATA_ERROR => Err(Error::Corrupt),
            NEED_DICTIONARY => Err(Error::Dictionary),
            _ => Ok(packed(step)),
        }
    })
}

unsafe extern "system" fn set_dictionary(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    dictionary: jbyteArray,
    at: jint,
    len: jint,
) -> jlong {
    guarded(|| {
        // SAFETY: as in `compress_block`.
        let env = unsafe { Env::new(env) };
        let code = handles::with(handle, |stream| {
            with_copy(env, dictionary, at, len, |copy| stream.set_dictionary(copy))
        })?;
        match code.ok_or(Error::OutOfMemory)? {
            OK => Ok(0),
            _ => Err(Error::Argument),
        }
    })
}

/// Runs `work` with a copy of a range of an array; `None` if there is no memory.
pub fn with_copy<T>(
    env: Env,
    array: jbyteArray,
    at: jint,
    len: jint,
    work: impl FnOnce(&[u8]) -> T,
) -> Option<T> {
    let (at, len) = (usize::try_from(at).unwrap_or(0), usize::try_from(len).unwrap_or(0));
    transfer::with_staging(|staging| {
        let copy = transfer::sized(&mut staging.input, len)?;
        env.read(array, at, copy);
        Some(work(copy))
    })
}

/// Decompresses blocks side by side ([`batch::decompress`]). Returns the number of blocks that
/// failed.
unsafe extern "system" fn decompress_all(
    env: *mut JNIEnv,
    _: jclass,
    format: jint,
    count: jint,
    sources: jobjectArray,
    targets: jobjectArray,
    spans: jlongArray,
) -> jlong {
    guarded(|| {
        let wrap = Wrap::of(format).ok_or(Error::Argument)?;
        let count = usize::try_from(count).map_err(|_| Error::Argument)?;
        // SAFETY: as in `compress_block`, for every block.
        unsafe { batch::decompress(Env::new(env), wrap, Batch { count, sources, targets, spans }) }
    })
}

unsafe extern "system" fn address(env: *mut JNIEnv, _: jclass, buffer: jobject) -> jlong {
    // SAFETY: the virtual machine's own pointer and reference.
    unsafe { Env::new(env) }.direct_address(buffer) as usize as jlong
}

/// Sets settings, given as pairs of a variable's name and its value, unless calls were made before.
unsafe extern "system" fn set_up(env: *mut JNIEnv, _: jclass, pairs: jobjectArray) {
    guarded(|| {
        // SAFETY: as in `compress_block`.
        let env = unsafe { Env::new(env) };
        let texts: Vec<_> = (0..env.length(pairs)).map(|index| env.text(env.element(pairs, index))).collect();
        configure(|name| {
            let mut pairs = texts.chunks_exact(2);
            let found = pairs.find(|pair| pair[0].as_deref() == Some(name));
            match found.and_then(|pair| pair[1].clone()) {
                Some(value) => Some(value.into()),
                None => std::env::var_os(name).filter(|value| !value.is_empty()),
            }
        });
        Ok(0)
    });
}

/// Returns the counters of zlib's functions, if the settings want them counted.
unsafe extern "system" fn counters(env: *mut JNIEnv, _: jclass) -> jobject {
    let text = catch_unwind(statistics).ok().and_then(|text| CString::new(text).ok()).unwrap_or_default();
    // SAFETY: as in `compress_block`.
    unsafe { Env::new(env) }.string(&text)
}

/// Takes `java.util.zip` over. Returns null, or why that failed.
unsafe extern "system" fn take_over(env: *mut JNIEnv, _: jclass, class_file: jbyteArray) -> jobject {
    // SAFETY: as in `compress_block`.
    let env = unsafe { Env::new(env) };
    let done = catch_unwind(|| {
        let len = env.length(class_file) as jint;
        with_copy(env, class_file, 0, len, |class_file| zip::start(env, class_file))
    });
    let reason = match done {
        Ok(Some(Ok(reason))) => return reason,
        Ok(Some(Err(reason))) => reason,
        Ok(None) => "there is no memory".to_owned(),
        Err(_) => "an internal error".to_owned(),
    };
    env.string(&CString::new(reason).unwrap_or_default())
}

/// Returns the counters of what `java.util.zip` was served.
unsafe extern "system" fn zip_counters(env: *mut JNIEnv, _: jclass) -> jobject {
    // SAFETY: as in `compress_block`.
    unsafe { Env::new(env) }.string(&CString::new(zip::report()).unwrap_or_default())
}
