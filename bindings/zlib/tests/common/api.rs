//! The functions of a loaded libz, by name.

#![allow(non_snake_case)]

use std::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use libz_rs_sys::{gz_header, in_func, out_func, z_stream};

/// A stream of the caller's.
pub type Strm = *mut z_stream;
/// An open file.
pub type GzFile = *mut c_void;

macro_rules! functions {
    ($($name:ident($($argument:ty),*) -> $result:ty;)*) => {
        /// A loaded library.
        pub struct Zlib {
            _library: Library,
            $(pub $name: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl Zlib {
            /// Loads the library at `path`, with its own symbols.
            pub fn load(path: &Path) -> Self {
                // SAFETY: a libz has no constructors to speak of, and its functions have these
                // types.
                unsafe {
                    let library = Library::open(Some(path), RTLD_NOW | RTLD_LOCAL).expect("a libz can be loaded");
                    $(let $name = *library.get(concat!(stringify!($name), "\0").as_bytes()).expect(stringify!($name));)*
                    Self { _library: library, $($name),* }
                }
            }
        }
    };
}

functions! {
    zlibVersion() -> *const c_char;
    zlibCompileFlags() -> c_ulong;
    zError(c_int) -> *const c_char;
    deflateInit_(Strm, c_int, *const c_char, c_int) -> c_int;
    deflateInit2_(Strm, c_int, c_int, c_int, c_int, c_int, *const c_char, c_int) -> c_int;
    deflate(Strm, c_int) -> c_int;
    deflateEnd(Strm) -> c_int;
    deflateReset(Strm) -> c_int;
    deflateResetKeep(Strm) -> c_int;
    deflateCopy(Strm, Strm) -> c_int;
    deflateParams(Strm, c_int, c_int) -> c_int;
    deflateTune(Strm, c_int, c_int, c_int, c_int) -> c_int;
    deflateBound(Strm, c_ulong) -> c_ulong;
    deflatePending(Strm, *mut c_uint, *mut c_int) -> c_int;
    deflatePrime(Strm, c_int, c_int) -> c_int;
    deflateSetHeader(Strm, *mut gz_header) -> c_int;
    deflateSetDictionary(Strm, *const u8, c_uint) -> c_int;
    deflateGetDictionary(Strm, *mut u8, *mut c_uint) -> c_int;
    inflateInit_(Strm, *const c_char, c_int) -> c_int;
    inflateInit2_(Strm, c_int, *const c_char, c_int) -> c_int;
    inflate(Strm, c_int) -> c_int;
    inflateEnd(Strm) -> c_int;
    inflateReset(Strm) -> c_int;
    inflateReset2(Strm, c_int) -> c_int;
    inflateResetKeep(Strm) -> c_int;
    inflateCopy(Strm, Strm) -> c_int;
    inflateSync(Strm) -> c_int;
    inflateSyncPoint(Strm) -> c_int;
    inflateMark(Strm) -> c_long;
    inflatePrime(Strm, c_int, c_int) -> c_int;
    inflateGetHeader(Strm, *mut gz_header) -> c_int;
    inflateSetDictionary(Strm, *const u8, c_uint) -> c_int;
    inflateGetDictionary(Strm, *mut u8, *mut c_uint) -> c_int;
    inflateUndermine(Strm, c_int) -> c_int;
    inflateValidate(Strm, c_int) -> c_int;
    inflateCodesUsed(Strm) -> c_ulong;
    inflateBackInit_(Strm, c_int, *mut u8, *const c_char, c_int) -> c_int;
    inflateBack(Strm, Option<in_func>, *mut c_void, Option<out_func>, *mut c_void) -> c_int;
    inflateBackEnd(Strm) -> c_int;
    compress(*mut u8, *mut c_ulong, *const u8, c_ulong) -> c_int;
    compress2(*mut u8, *mut c_ulong, *const u8, c_ulong, c_int) -> c_int;
    compressBound(c_ulong) -> c_ulong;
    uncompress(*mut u8, *mut c_ulong, *const u8, c_ulong) -> c_int;
    uncompress2(*mut u8, *mut c_ulong, *const u8, *mut c_ulong) -> c_int;
    crc32(c_ulong, *const u8, c_uint) -> c_ulong;
    crc32_z(c_ulong, *const u8, usize) -> c_ulong;
    crc32_combine(c_ulong, c_ulong, c_long) -> c_ulong;
    crc32_combine64(c_ulong, c_ulong, i64) -> c_ulong;
    crc32_combine_gen(c_long) -> c_ulong;
    crc32_combine_gen64(i64) -> c_ulong;
    crc32_combine_op(c_ulong, c_ulong, c_ulong) -> c_ulong;
    get_crc_table() -> *const u32;
    adler32(c_ulong, *const u8, c_uint) -> c_ulong;
    adler32_z(c_ulong, *const u8, usize) -> c_ulong;
    adler32_combine(c_ulong, c_ulong, c_long) -> c_ulong;
    adler32_combine64(c_ulong, c_ulong, i64) -> c_ulong;
    gzopen(*const c_char, *const c_char) -> GzFile;
    gzopen64(*const c_char, *const c_char) -> GzFile;
    gzdopen(c_int, *const c_char) -> GzFile;
    gzbuffer(GzFile, c_uint) -> c_int;
    gzsetparams(GzFile, c_int, c_int) -> c_int;
    gzread(GzFile, *mut c_void, c_uint) -> c_int;
    gzfread(*mut c_void, usize, usize, GzFile) -> usize;
    gzwrite(GzFile, *const c_void, c_uint) -> c_int;
    gzfwrite(*const c_void, usize, usize, GzFile) -> usize;
    gzputs(GzFile, *const c_char) -> c_int;
    gzputc(GzFile, c_int) -> c_int;
    gzgets(GzFile, *mut c_char, c_int) -> *mut c_char;
    gzgetc(GzFile) -> c_int;
    gzgetc_(GzFile) -> c_int;
    gzungetc(c_int, GzFile) -> c_int;
    gzflush(GzFile, c_int) -> c_int;
    gzseek(GzFile, c_long, c_int) -> c_long;
    gzseek64(GzFile, i64, c_int) -> i64;
    gzrewind(GzFile) -> c_int;
    gztell(GzFile) -> c_long;
    gztell64(GzFile) -> i64;
    gzoffset(GzFile) -> c_long;
    gzoffset64(GzFile) -> i64;
    gzeof(GzFile) -> c_int;
    gzdirect(GzFile) -> c_int;
    gzclose(GzFile) -> c_int;
    gzclose_r(GzFile) -> c_int;
    gzclose_w(GzFile) -> c_int;
    gzerror(GzFile, *mut c_int) -> *const c_char;
    gzclearerr(GzFile) -> ();
}

/// `gzprintf` has a variable number of arguments, so its pointer has a type of its own.
pub type Printf = unsafe extern "C" fn(GzFile, *const c_char, ...) -> c_int;

impl Zlib {
    /// Returns `gzprintf` of this library.
    pub fn gzprintf(&self) -> Printf {
        // SAFETY: that is its type.
        unsafe { *self._library.get(b"gzprintf\0").expect("gzprintf") }
    }
}
