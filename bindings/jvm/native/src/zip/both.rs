//! Native methods that `Deflater` and `Inflater` have alike: dictionaries, checksums, reset, end;
//! and the call of the JDK's function for a stream that it opened.
//!
//! Both modules have the names that the macros use: `PASSED`, the counter of such calls, and
//! `address_at`, the address of a function of the JDK.

use crate::env::Env;
use crate::error::Error;
use crate::stream::{DATA_ERROR, OK, STREAM_ERROR, Stream};

/// Calls the JDK's function at an index of the module's table of originals.
macro_rules! original {
    ($index:ident, ($($type:ty),*) -> $result:ty, ($($argument:expr),*)) => {{
        PASSED.count();
        let address = address_at(originals::$index);
        // SAFETY: the JDK's function of this signature, found before the takeover.
        unsafe {
            let function: unsafe extern "system" fn($($type),*) -> $result = std::mem::transmute(address);
            function($($argument),*)
        }
    }};
}

/// Defines the methods.
macro_rules! shared_natives {
    () => {
        unsafe extern "system" fn set_dictionary(
            env: *mut JNIEnv,
            class: jclass,
            stream: jlong,
            dictionary: jbyteArray,
            at: jint,
            len: jint,
        ) {
            if is_jdk(stream) {
                return original!(SET_DICTIONARY, (*mut JNIEnv, jclass, jlong, jbyteArray, jint, jint) -> (),
                    (env, class, stream, dictionary, at, len));
            }
            throwing(env, || {
                // SAFETY: the virtual machine's own pointer and references.
                let env = unsafe { Env::new(env) };
                let set = |stream: &mut Stream| with_copy(env, dictionary, at, len, |copy| set_to(env, stream, copy));
                handles::with(stream, set)?.ok_or(Error::OutOfMemory)?
            });
        }

        unsafe extern "system" fn set_dictionary_buffer(
            env: *mut JNIEnv,
            class: jclass,
            stream: jlong,
            address: jlong,
            len: jint,
        ) {
            if is_jdk(stream) {
                return original!(SET_DICTIONARY_BUFFER, (*mut JNIEnv, jclass, jlong, jlong, jint) -> (),
                    (env, class, stream, address, len));
            }
            throwing(env, || {
                // SAFETY: the JDK passes memory of this length, the virtual machine its pointer.
                let (dictionary, env) = unsafe { (transfer::memory(address, len), Env::new(env)) };
                handles::with(stream, |stream| set_to(env, stream, dictionary))?
            });
        }

        unsafe extern "system" fn get_adler(env: *mut JNIEnv, class: jclass, stream: jlong) -> jint {
            if is_jdk(stream) {
                return original!(GET_ADLER, (*mut JNIEnv, jclass, jlong) -> jint, (env, class, stream));
            }
            throwing(env, || Ok(handles::with(stream, |stream| i64::from(stream.adler()))?)) as jint
        }

        unsafe extern "system" fn reset(env: *mut JNIEnv, class: jclass, stream: jlong) {
            if is_jdk(stream) {
                return original!(RESET, (*mut JNIEnv, jclass, jlong) -> (), (env, class, stream));
            }
            throwing(env, || match handles::with(stream, Stream::reset)? {
                OK => Ok(0),
                _ => Err(Error::Internal),
            });
        }

        unsafe extern "system" fn end(env: *mut JNIEnv, class: jclass, stream: jlong) {
            if is_jdk(stream) {
                return original!(END, (*mut JNIEnv, jclass, jlong) -> (), (env, class, stream));
            }
            throwing(env, || {
                handles::close(stream);
                Ok(0)
            });
        }
    };
}

pub(super) use {original, shared_natives};

/// Sets the dictionary. A refusal becomes an exception with zlib's text for the last error, if
/// there was one.
pub fn set_to(env: Env, stream: &mut Stream, dictionary: &[u8]) -> Result<i64, Error> {
    match stream.set_dictionary(dictionary) {
        OK => Ok(0),
        STREAM_ERROR | DATA_ERROR => {
            env.throw(c"java/lang/IllegalArgumentException", stream.message());
            Ok(0)
        }
        _ => Err(Error::Internal),
    }
}
