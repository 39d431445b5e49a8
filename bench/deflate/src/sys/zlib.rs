//! The C zlib and zlib-ng, which have the same functions: a stream is made once and reset for each
//! block.

/// A module with `Deflate` and `Inflate` of a library with zlib's functions.
macro_rules! zlib {
    ($(#[$doc:meta])* $name:ident, $library:ident) => {
        $(#[$doc])*
        pub mod $name {
            use std::ffi::c_int;
            use std::mem::MaybeUninit;

            use $library as z;

            /// A window of 32 KB and no container.
            const RAW: c_int = -15;
            /// The memory level of zlib's `deflateInit`.
            const MEMORY: c_int = 8;

            /// A compressor of one level.
            pub struct Deflate(Box<MaybeUninit<z::z_stream>>);

            impl Deflate {
                /// Panics if there is no such level.
                pub fn new(level: i32) -> Self {
                    let mut stream = Box::new(MaybeUninit::<z::z_stream>::zeroed());
                    let size = size_of::<z::z_stream>() as c_int;
                    // SAFETY: the stream is zero, as the call wants it for the allocator of C; it
                    // is only used by pointer, as its functions may not be null in Rust, and stays
                    // where it is.
                    let code = unsafe {
                        z::deflateInit2_(
                            stream.as_mut_ptr(),
                            level,
                            z::Z_DEFLATED,
                            RAW,
                            MEMORY,
                            z::Z_DEFAULT_STRATEGY,
                            z::zlibVersion(),
                            size,
                        )
                    };
                    assert_eq!(code, z::Z_OK, "a level of zlib");
                    Deflate(stream)
                }

                /// Compresses a block into raw DEFLATE and returns its length.
                pub fn compress(&mut self, input: &[u8], output: &mut [u8]) -> usize {
                    let stream = self.0.as_mut_ptr();
                    // SAFETY: the stream is initialised; its buffers are live for the lengths that
                    // are given, and zlib does not write to its input.
                    unsafe {
                        assert_eq!(z::deflateReset(stream), z::Z_OK, "deflateReset");
                        (*stream).next_in = input.as_ptr().cast_mut();
                        (*stream).avail_in = input.len().try_into().expect("a block below 4 GB");
                        (*stream).next_out = output.as_mut_ptr();
                        (*stream).avail_out = output.len().try_into().expect("an output below 4 GB");
                        assert_eq!(z::deflate(stream, z::Z_FINISH), z::Z_STREAM_END, "the output is too short");
                        output.len() - (*stream).avail_out as usize
                    }
                }
            }

            impl Drop for Deflate {
                fn drop(&mut self) {
                    // SAFETY: the stream is initialised and not used again.
                    unsafe { z::deflateEnd(self.0.as_mut_ptr()) };
                }
            }

            /// A decompressor.
            pub struct Inflate(Box<MaybeUninit<z::z_stream>>);

            impl Inflate {
                /// Makes a decompressor of raw DEFLATE.
                pub fn new() -> Self {
                    let mut stream = Box::new(MaybeUninit::<z::z_stream>::zeroed());
                    let size = size_of::<z::z_stream>() as c_int;
                    // SAFETY: as in `Deflate::new`.
                    let code = unsafe { z::inflateInit2_(stream.as_mut_ptr(), RAW, z::zlibVersion(), size) };
                    assert_eq!(code, z::Z_OK, "inflateInit2");
                    Inflate(stream)
                }

                /// Decompresses raw DEFLATE; returns whether it was sound and filled the output
                /// exactly.
                pub fn decompress(&mut self, input: &[u8], output: &mut [u8]) -> bool {
                    let stream = self.0.as_mut_ptr();
                    // SAFETY: as in `Deflate::compress`.
                    unsafe {
                        assert_eq!(z::inflateReset(stream), z::Z_OK, "inflateReset");
                        (*stream).next_in = input.as_ptr().cast_mut();
                        (*stream).avail_in = input.len().try_into().expect("a stream below 4 GB");
                        (*stream).next_out = output.as_mut_ptr();
                        (*stream).avail_out = output.len().try_into().expect("an output below 4 GB");
                        z::inflate(stream, z::Z_FINISH) == z::Z_STREAM_END && (*stream).avail_out == 0
                    }
                }
            }

            impl Drop for Inflate {
                fn drop(&mut self) {
                    // SAFETY: the stream is initialised and not used again.
                    unsafe { z::inflateEnd(self.0.as_mut_ptr()) };
                }
            }
        }
    };
}

zlib!(
    /// Mark Adler's zlib.
    stock,
    libz_sys
);
zlib!(
    /// zlib-ng by its own interface; its symbols do not clash with zlib's.
    next,
    libz_ng_sys
);
