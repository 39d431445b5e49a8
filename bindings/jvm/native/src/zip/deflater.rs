//! Native methods of `java.util.zip.Deflater`.
//!
//! A result is packed ([`crate::natives`]): the bytes read, the bytes written, and the two highest
//! bits, which tell whether the stream has ended and whether new parameters are still to be set.

use std::ffi::c_void;

use jni_sys::{JNIEnv, jboolean, jbyteArray, jclass, jint, jlong, jobject};

use super::both::{original, set_to, shared_natives};
use super::counters::DEFLATER as PASSED;
use super::originals::{self, deflater_at as address_at, is_jdk};
use crate::env::{Env, Method};
use crate::error::{Error, throwing};
use crate::handles::{self, Owner};
use crate::natives::with_copy;
use crate::stream::{BUFFER_ERROR, MEMORY_ERROR, OK, STREAM_END, STREAM_ERROR, Stream, Wrap};
use crate::transfer::{self, Bytes, Parameters};

/// Returns the native methods, in the order of [`originals::DEFLATER`].
pub fn methods() -> Vec<Method> {
    let functions: [*const c_void; 10] = [
        set_dictionary as *const c_void,
        set_dictionary_buffer as *const c_void,
        bytes_bytes as *const c_void,
        bytes_buffer as *const c_void,
        buffer_bytes as *const c_void,
        buffer_buffer as *const c_void,
        get_adler as *const c_void,
        reset as *const c_void,
        end as *const c_void,
        init as *const c_void,
    ];
    originals::bound(&originals::DEFLATER, functions)
}

unsafe extern "system" fn init(
    env: *mut JNIEnv,
    _: jclass,
    level: jint,
    strategy: jint,
    raw: jboolean,
) -> jlong {
    throwing(env, || {
        let wrap = if raw { Wrap::Raw } else { Wrap::Zlib };
        let stream = Stream::compress(wrap, level, strategy).map_err(|code| match code {
            STREAM_ERROR => Error::Argument,
            _ => Error::OutOfMemory,
        })?;
        handles::open(Owner::Deflater, stream).ok_or(Error::OutOfMemory)
    })
}

unsafe extern "system" fn bytes_bytes(
    env: *mut JNIEnv,
    this: jobject,
    stream: jlong,
    input: jbyteArray,
    input_at: jint,
    input_len: jint,
    output: jbyteArray,
    output_at: jint,
    output_len: jint,
    flush: jint,
    parameters: jint,
) -> jlong {
    if is_jdk(stream) {
        type Array = jbyteArray;
        return original!(BYTES_BYTES,
            (*mut JNIEnv, jobject, jlong, Array, jint, jint, Array, jint, jint, jint, jint) -> jlong,
            (env, this, stream, input, input_at, input_len, output, output_at, output_len, flush, parameters));
    }
    let (input, output) =
        (Bytes::of(input, input_at.into(), input_len), Bytes::of(output, output_at.into(), output_len));
    deflate(env, stream, input, output, flush, parameters)
}

unsafe extern "system" fn bytes_buffer(
    env: *mut JNIEnv,
    this: jobject,
    stream: jlong,
    input: jbyteArray,
    input_at: jint,
    input_len: jint,
    output: jlong,
    output_len: jint,
    flush: jint,
    parameters: jint,
) -> jlong {
    if is_jdk(stream) {
        return original!(BYTES_BUFFER,
            (*mut JNIEnv, jobject, jlong, jbyteArray, jint, jint, jlong, jint, jint, jint) -> jlong,
            (env, this, stream, input, input_at, input_len, output, output_len, flush, parameters));
    }
    let (input, output) = (Bytes::of(input, input_at.into(), input_len), Bytes::at(output, output_len));
    deflate(env, stream, input, output, flush, parameters)
}

unsafe extern "system" fn buffer_bytes(
    env: *mut JNIEnv,
    this: jobject,
    stream: jlong,
    input: jlong,
    input_len: jint,
    output: jbyteArray,
    output_at: jint,
    output_len: jint,
    flush: jint,
    parameters: jint,
) -> jlong {
    if is_jdk(stream) {
        return original!(BUFFER_BYTES,
            (*mut JNIEnv, jobject, jlong, jlong, jint, jbyteArray, jint, jint, jint, jint) -> jlong,
            (env, this, stream, input, input_len, output, output_at, output_len, flush, parameters));
    }
    let (input, output) = (Bytes::at(input, input_len), Bytes::of(output, output_at.into(), output_len));
    deflate(env, stream, input, output, flush, parameters)
}

unsafe extern "system" fn buffer_buffer(
    env: *mut JNIEnv,
    this: jobject,
    stream: jlong,
    input: jlong,
    input_len: jint,
    output: jlong,
    output_len: jint,
    flush: jint,
    parameters: jint,
) -> jlong {
    if is_jdk(stream) {
        return original!(BUFFER_BUFFER,
            (*mut JNIEnv, jobject, jlong, jlong, jint, jlong, jint, jint, jint) -> jlong,
            (env, this, stream, input, input_len, output, output_len, flush, parameters));
    }
    deflate(env, stream, Bytes::at(input, input_len), Bytes::at(output, output_len), flush, parameters)
}

/// Compresses. `parameters` has in its lowest bit whether level and strategy change, in the next
/// two the strategy, and above the level.
fn deflate(
    env: *mut JNIEnv,
    stream: jlong,
    input: Bytes,
    output: Bytes,
    flush: jint,
    parameters: jint,
) -> jlong {
    throwing(env, || {
        let is_set = parameters & 1 == 1;
        let changed = match is_set {
            true => Parameters::Set(parameters >> 3, parameters >> 1 & 3),
            false => Parameters::Kept,
        };
        let step = handles::with_tally(stream, |stream, tally| {
            // SAFETY: the virtual machine's own pointer and references, and memory that the JDK
            // keeps during the call.
            let step = unsafe { transfer::run(Env::new(env), stream, input, output, flush, changed) }?;
            tally.count(step.consumed, step.produced);
            Some(step)
        })?;
        let step = step.ok_or(Error::OutOfMemory)?;
        let flags = match (step.code, is_set) {
            (STREAM_END, _) => 1 << 62,
            (OK, false) | (BUFFER_ERROR, false) => 0,
            // New parameters are set once all input before has been compressed and fits.
            (OK, true) if step.are_parameters_set => 0,
            (OK | BUFFER_ERROR, true) => 1 << 63,
            (MEMORY_ERROR, _) => return Err(Error::OutOfMemory),
            _ => return Err(Error::Internal),
        };
        Ok(step.consumed as i64 | (step.produced as i64) << 31 | flags)
    })
}

shared_natives!();
