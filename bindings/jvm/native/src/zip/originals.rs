//! The JDK's own native methods of `Deflater` and `Inflater`, found in its `libzip.so`.
//!
//! A function keeps its address and signature as the JDK exports it; a JDK that links its library
//! into the virtual machine exports none, and keeps its functions.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::OnceLock;

use crate::env::Method;

/// A native method: its name in Java, its signature, and its symbol.
type Entry = (&'static CStr, &'static CStr, &'static CStr);

/// The methods of `Deflater`, in the order in which they are bound: `init` is the last, as all
/// others must know the streams that it opens. Threads may use the class meanwhile.
pub const DEFLATER: [Entry; 10] = [
    (c"setDictionary", c"(J[BII)V", c"Java_java_util_zip_Deflater_setDictionary"),
    (c"setDictionaryBuffer", c"(JJI)V", c"Java_java_util_zip_Deflater_setDictionaryBuffer"),
    (c"deflateBytesBytes", c"(J[BII[BIIII)J", c"Java_java_util_zip_Deflater_deflateBytesBytes"),
    (c"deflateBytesBuffer", c"(J[BIIJIII)J", c"Java_java_util_zip_Deflater_deflateBytesBuffer"),
    (c"deflateBufferBytes", c"(JJI[BIIII)J", c"Java_java_util_zip_Deflater_deflateBufferBytes"),
    (c"deflateBufferBuffer", c"(JJIJIII)J", c"Java_java_util_zip_Deflater_deflateBufferBuffer"),
    (c"getAdler", c"(J)I", c"Java_java_util_zip_Deflater_getAdler"),
    (c"reset", c"(J)V", c"Java_java_util_zip_Deflater_reset"),
    (c"end", c"(J)V", c"Java_java_util_zip_Deflater_end"),
    (c"init", c"(IIZ)J", c"Java_java_util_zip_Deflater_init"),
];

/// The methods of `Inflater`, in such an order too.
pub const INFLATER: [Entry; 10] = [
    (c"setDictionary", c"(J[BII)V", c"Java_java_util_zip_Inflater_setDictionary"),
    (c"setDictionaryBuffer", c"(JJI)V", c"Java_java_util_zip_Inflater_setDictionaryBuffer"),
    (c"inflateBytesBytes", c"(J[BII[BII)J", c"Java_java_util_zip_Inflater_inflateBytesBytes"),
    (c"inflateBytesBuffer", c"(J[BIIJI)J", c"Java_java_util_zip_Inflater_inflateBytesBuffer"),
    (c"inflateBufferBytes", c"(JJI[BII)J", c"Java_java_util_zip_Inflater_inflateBufferBytes"),
    (c"inflateBufferBuffer", c"(JJIJI)J", c"Java_java_util_zip_Inflater_inflateBufferBuffer"),
    (c"getAdler", c"(J)I", c"Java_java_util_zip_Inflater_getAdler"),
    (c"reset", c"(J)V", c"Java_java_util_zip_Inflater_reset"),
    (c"end", c"(J)V", c"Java_java_util_zip_Inflater_end"),
    (c"init", c"(Z)J", c"Java_java_util_zip_Inflater_init"),
];

/// Positions of methods in the tables.
pub const SET_DICTIONARY: usize = 0;
pub const SET_DICTIONARY_BUFFER: usize = 1;
pub const BYTES_BYTES: usize = 2;
pub const BYTES_BUFFER: usize = 3;
pub const BUFFER_BYTES: usize = 4;
pub const BUFFER_BUFFER: usize = 5;
pub const GET_ADLER: usize = 6;
pub const RESET: usize = 7;
pub const END: usize = 8;
const INIT: usize = 9;

struct Addresses {
    deflater: [usize; DEFLATER.len()],
    inflater: [usize; INFLATER.len()],
}

static ADDRESSES: OnceLock<Addresses> = OnceLock::new();

/// Finds all functions.
///
/// # Errors
/// A function or the library is missing.
pub fn find() -> Result<(), String> {
    if ADDRESSES.get().is_some() {
        return Ok(());
    }
    let library = loaded_library().ok_or("the JDK's libzip.so is not loaded")?;
    let found =
        Addresses { deflater: addresses(library, &DEFLATER)?, inflater: addresses(library, &INFLATER)? };
    ADDRESSES.get_or_init(|| found);
    Ok(())
}

fn addresses(library: *mut c_void, entries: &[Entry; 10]) -> Result<[usize; 10], String> {
    let mut addresses = [0; 10];
    for (address, (_, _, symbol)) in addresses.iter_mut().zip(entries) {
        // SAFETY: a handle that `dlopen` returned, and a C string.
        *address = unsafe { libc::dlsym(library, symbol.as_ptr()) } as usize;
        if *address == 0 {
            return Err(format!("the JDK's libzip.so has no {}", symbol.to_string_lossy()));
        }
    }
    Ok(addresses)
}

/// Returns the handle of the `libzip.so` that is loaded. It is never closed, so the functions stay.
fn loaded_library() -> Option<*mut c_void> {
    let mut path: Option<CString> = None;
    // SAFETY: the function has the type that is asked for, and its argument lives for the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut path).cast()) };
    // SAFETY: a C string; `RTLD_NOLOAD` loads nothing.
    let library = unsafe { libc::dlopen(path?.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    (!library.is_null()).then_some(library)
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
    // SAFETY: the loader passes a valid structure, whose name is null or a C string; `found` is the
    // variable of `loaded_library`.
    unsafe {
        let name: *const c_char = (*info).dlpi_name;
        if name.is_null() {
            return 0;
        }
        let name = CStr::from_ptr(name);
        if !name.to_bytes().ends_with(b"/libzip.so") {
            return 0;
        }
        *found.cast::<Option<CString>>() = Some(name.to_owned());
        1
    }
}

/// Returns the address of a function of `Deflater`; 0 before [`find`].
pub fn deflater_at(index: usize) -> usize {
    ADDRESSES.get().map_or(0, |addresses| addresses.deflater[index])
}

/// Returns the address of a function of `Inflater`; 0 before [`find`].
pub fn inflater_at(index: usize) -> usize {
    ADDRESSES.get().map_or(0, |addresses| addresses.inflater[index])
}

/// Returns the JDK's `init` of `Deflater`, to bind it again. Our other methods serve its streams as
/// well as those that we have opened.
pub fn deflater_init() -> Method {
    let (name, signature, _) = DEFLATER[INIT];
    (name, signature, deflater_at(INIT) as *const c_void)
}

/// Returns the methods of a table with functions of ours.
pub fn bound(entries: &'static [Entry; 10], functions: [*const c_void; 10]) -> Vec<Method> {
    let methods = entries.iter().zip(functions);
    methods.map(|(&(name, signature, _), function)| (name, signature, function)).collect()
}

/// Returns whether a stream's number is an address of the JDK's.
pub fn is_jdk(number: i64) -> bool {
    number & 1 == 0
}

#[cfg(test)]
mod tests;
