//! Native methods of `java.util.zip.Inflater`.
//!
//! A result is packed ([`crate::natives`]): the bytes read, the bytes written, and the two highest
//! bits, which tell whether the stream has ended and whether it needs a dictionary. With a
//! `DataFormatException` the bytes are in two fields of the object.

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

use jni_sys::{JNIEnv, jboolean, jbyteArray, jclass, jfieldID, jint, jlong, jobject};

use super::both::{original, set_to, shared_natives};
use super::counters::INFLATER as PASSED;
use super::originals::{self, inflater_at as address_at, is_jdk};
use crate::env::{Env, Method};
use crate::error::{Error, throwing};
use crate::handles::{self, Owner};
use crate::natives::with_copy;
use crate::stream::{
    BUFFER_ERROR, DATA_ERROR, MEMORY_ERROR, NEED_DICTIONARY, OK, STREAM_END, SYNC_FLUSH, Stream, Wrap,
};
use crate::transfer::{self, Bytes, Parameters};

/// Fields of `Inflater` for the progress of a call that throws.
struct Fields {
    consumed: jfieldID,
    produced: jfieldID,
}

// SAFETY: the virtual machine's numbers of two fields, the same on all threads.
unsafe impl Send for Fields {}
// SAFETY: as above.
unsafe impl Sync for Fields {}

static FIELDS: OnceLock<Fields> = OnceLock::new();

/// Finds the fields; `None` with an exception pending if there are none.
pub fn find_fields(env: Env, inflater: jclass) -> Option<()> {
    let consumed = env.int_field(inflater, c"inputConsumed")?;
    let produced = env.int_field(inflater, c"outputConsumed")?;
    FIELDS.get_or_init(|| Fields { consumed, produced });
    Some(())
}

/// Returns the native methods, in the order of [`originals::INFLATER`].
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
    originals::bound(&originals::INFLATER, functions)
}

unsafe extern "system" fn init(env: *mut JNIEnv, _: jclass, raw: jboolean) -> jlong {
    throwing(env, || {
        let wrap = if raw { Wrap::Raw } else { Wrap::Zlib };
        let stream = Stream::decompress(wrap).map_err(|_| Error::OutOfMemory)?;
        handles::open(Owner::Inflater, stream).ok_or(Error::OutOfMemory)
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
) -> jlong {
    if is_jdk(stream) {
        type Array = jbyteArray;
        return original!(BYTES_BYTES,
            (*mut JNIEnv, jobject, jlong, Array, jint, jint, Array, jint, jint) -> jlong,
            (env, this, stream, input, input_at, input_len, output, output_at, output_len));
    }
    let (input, output) =
        (Bytes::of(input, input_at.into(), input_len), Bytes::of(output, output_at.into(), output_len));
    inflate(env, this, stream, input, output)
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
) -> jlong {
    if is_jdk(stream) {
        return original!(BYTES_BUFFER,
            (*mut JNIEnv, jobject, jlong, jbyteArray, jint, jint, jlong, jint) -> jlong,
            (env, this, stream, input, input_at, input_len, output, output_len));
    }
    let (input, output) = (Bytes::of(input, input_at.into(), input_len), Bytes::at(output, output_len));
    inflate(env, this, stream, input, output)
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
) -> jlong {
    if is_jdk(stream) {
        return original!(BUFFER_BYTES,
            (*mut JNIEnv, jobject, jlong, jlong, jint, jbyteArray, jint, jint) -> jlong,
            (env, this, stream, input, input_len, output, output_at, output_len));
    }
    let (input, output) = (Bytes::at(input, input_len), Bytes::of(output, output_at.into(), output_len));
    inflate(env, this, stream, input, output)
}

unsafe extern "system" fn buffer_buffer(
    env: *mut JNIEnv,
    this: jobject,
    stream: jlong,
    input: jlong,
    input_len: jint,
    output: jlong,
    output_len: jint,
) -> jlong {
    if is_jdk(stream) {
        return original!(BUFFER_BUFFER,
            (*mut JNIEnv, jobject, jlong, jlong, jint, jlong, jint) -> jlong,
            (env, this, stream, input, input_len, output, output_len));
    }
    inflate(env, this, stream, Bytes::at(input, input_len), Bytes::at(output, output_len))
}

/// Decompresses.
fn inflate(env: *mut JNIEnv, this: jobject, stream: jlong, input: Bytes, output: Bytes) -> jlong {
    throwing(env, || {
        // SAFETY: the virtual machine's own pointer.
        let env = unsafe { Env::new(env) };
        let done = handles::with_tally(stream, |stream, tally| {
            // SAFETY: references of this call, and memory that the JDK keeps during it.
            let step = unsafe { transfer::run(env, stream, input, output, SYNC_FLUSH, Parameters::Kept) }?;
            tally.count(step.consumed, step.produced);
            Some((step, stream.message().map(CStr::to_owned)))
        })?;
        let (step, message) = done.ok_or(Error::OutOfMemory)?;
        let flags = match step.code {
            STREAM_END => 1 << 62,
            NEED_DICTIONARY => 1 << 63,
            OK | BUFFER_ERROR => 0,
            DATA_ERROR => {
                let fields = FIELDS.get().ok_or(Error::Internal)?;
                // SAFETY: fields of `Inflater`, and `this` is one.
                unsafe {
                    env.set_int(this, fields.consumed, step.consumed as jint);
                    env.set_int(this, fields.produced, step.produced as jint);
                }
                let message = message.unwrap_or_else(|| c"invalid data".to_owned());
                env.throw(c"java/util/zip/DataFormatException", Some(&message));
                0
            }
            MEMORY_ERROR => return Err(Error::OutOfMemory),
            _ => return Err(Error::Internal),
        };
        Ok(step.consumed as i64 | (step.produced as i64) << 31 | flags)
    })
}

shared_natives!();
