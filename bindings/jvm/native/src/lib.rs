//! JNI library behind `org.pelton`: DEFLATE for the Java virtual machine, on the streams of the
//! drop-in zlib and on the codec's batches, and blocks of LZ4 and Snappy for pages of Parquet.
//!
//! Loading binds the native methods by `RegisterNatives`, to the class that the system property
//! `pelton.native.class` names: a class that was renamed by shading is bound too. Nothing is bound
//! if the classes are of another version.
//!
//! # Layout
//! | file | contents |
//! |---|---|
//! | `env.rs` | the JNI functions that are called |
//! | `error.rs` | errors as numbers; panics |
//! | `handles.rs` | numbers that Java holds for streams |
//! | `stream.rs` | a stream of zlib |
//! | `transfer.rs` | bytes of arrays and of direct memory to a stream and back |
//! | `blocks.rs`, `batch.rs` | single blocks; batches, decompressed side by side |
//! | `one_shot.rs` | blocks of LZ4 and Snappy |
//! | `natives.rs` | the native methods of `org.pelton.Native` |
//! | `zip/` | takeover of `java.util.zip` by the agent |
//!
//! # Unsafe code
//! In `env.rs` for JNI, in `stream.rs` for zlib, in `handles.rs` for the slots. The other modules
//! pass on addresses that Java answers for.

mod batch;
mod blocks;
mod env;
mod error;
mod handles;
mod natives;
mod one_shot;
mod stream;
mod transfer;
mod zip;

use std::ffi::{CStr, CString, c_void};
use std::panic::catch_unwind;

use jni_sys::{JNI_ERR, JNI_OK, JNI_VERSION_1_8, JNIEnv, JavaVM, jint};

use crate::env::Env;

/// Property with the name of the class to bind, with slashes.
const CLASS_PROPERTY: &CStr = c"pelton.native.class";

/// Binds the native methods when the library is loaded.
#[unsafe(no_mangle)]
extern "system" fn JNI_OnLoad(vm: *mut JavaVM, _: *mut c_void) -> jint {
    let mut env: *mut c_void = std::ptr::null_mut();
    // SAFETY: the virtual machine passes itself; this thread runs in it.
    let env = unsafe {
        if ((**vm).v1_2.GetEnv)(vm, &mut env, JNI_VERSION_1_8) != JNI_OK {
            return JNI_ERR;
        }
        Env::new(env.cast::<JNIEnv>())
    };
    match catch_unwind(|| bind(env)) {
        Ok(Some(())) => JNI_VERSION_1_8,
        _ => JNI_ERR,
    }
}

/// Binds the methods of the class; `None`, mostly with an exception pending, if that fails.
fn bind(env: Env) -> Option<()> {
    let name = env.system_property(CLASS_PROPERTY)?;
    let class = env.find_class(&CString::new(name).ok()?)?;
    let abi = env.static_int(class, c"ABI")?;
    if abi != natives::ABI {
        env.throw(
            c"java/lang/UnsatisfiedLinkError",
            Some(c"the library is of another version of Pelton than the classes"),
        );
        return None;
    }
    env.register(class, &natives::methods()).then_some(())
}
