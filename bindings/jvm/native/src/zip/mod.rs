//! Takeover of `java.util.zip`: native methods of `Deflater` and `Inflater` on Pelton's streams.
//!
//! [`install`] binds them in place of the JDK's. Streams that were open before have an address of
//! the JDK's own as their number, which is even, and go to the JDK's functions; ours have handles,
//! which are odd ([`crate::handles`]).
//!
//! | file | contents |
//! |---|---|
//! | `originals.rs` | the JDK's functions, found in its library |
//! | `deflater.rs`, `inflater.rs` | the native methods |
//! | `both.rs` | the native methods that both classes have alike |
//! | `counters.rs` | counters of calls and bytes |

mod both;
mod counters;
mod deflater;
mod inflater;
mod originals;

use std::ffi::{CString, c_void};
use std::panic::catch_unwind;

use jni_sys::{JNIEnv, jclass, jobject};

use crate::env::Env;

pub use counters::report;

/// Defines a class for the boot class loader, whose method `start` calls [`install`]. Returns the
/// result of `start`: null, or the reason for which the JDK's functions stay.
///
/// # Errors
/// The class can't be defined or has other methods.
pub fn start(env: Env, class_file: &[u8]) -> Result<jobject, String> {
    let refused = |env: Env| {
        env.clear_exception();
        "the virtual machine refuses the class Takeover".to_owned()
    };
    let class = env.define_boot_class(class_file).ok_or_else(|| refused(env))?;
    let install = (c"install", c"()Ljava/lang/String;", install as *const c_void);
    if !env.register(class, &[install]) {
        return Err(refused(env));
    }
    let reason = env.call_static_string(class, c"start");
    if env.has_exception() { Err(refused(env)) } else { Ok(reason) }
}

/// Takes `Deflater` and `Inflater` over, called by a class of the boot class loader. Returns null,
/// or the reason for which the JDK's functions stay.
unsafe extern "system" fn install(env: *mut JNIEnv, _: jclass) -> jobject {
    // SAFETY: the virtual machine's own pointer.
    let env = unsafe { Env::new(env) };
    let done = catch_unwind(|| take_over(env)).unwrap_or_else(|_| Err("an internal error".to_owned()));
    match done {
        Ok(()) => std::ptr::null_mut(),
        Err(reason) => env.string(&CString::new(reason).unwrap_or_default()),
    }
}

fn take_over(env: Env) -> Result<(), String> {
    originals::find()?;
    let missing = |class: &str| {
        env.clear_exception();
        format!("this JDK's {class} has other methods")
    };
    let deflater = env.find_class(c"java/util/zip/Deflater").ok_or_else(|| missing("Deflater"))?;
    let inflater = env.find_class(c"java/util/zip/Inflater").ok_or_else(|| missing("Inflater"))?;
    inflater::find_fields(env, inflater).ok_or_else(|| missing("Inflater"))?;
    // Methods that are bound before one fails serve the JDK's streams too, so they can stay.
    if !env.register(deflater, &deflater::methods()) {
        return Err(missing("Deflater"));
    }
    if !env.register(inflater, &inflater::methods()) {
        let reason = missing("Inflater");
        env.register(deflater, &[originals::deflater_init()]);
        return Err(reason);
    }
    Ok(())
}
