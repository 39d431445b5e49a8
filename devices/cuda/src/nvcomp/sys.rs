//! nvCOMP's batched functions, from nvcomp/lz4.h and its siblings of version 6.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};

use super::Backend;
use crate::decompress::Format;

/// Name for the loader, with the version of the interface.
const NAME: &str = "libnvcomp.so.6";

/// `nvcompStatus_t`; zero is success.
pub(super) type Code = c_int;

/// The options of a decompression, for every format: 64 bytes that begin with the backend. The
/// others are zero by default: LZ4's type (`NVCOMP_TYPE_CHAR`) and shuffling (none), gzip's
/// algorithm (naive), sorting (no).
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Options([c_int; 16]);

impl Options {
    pub fn new(backend: Backend) -> Options {
        let mut options = [0; 16];
        options[0] = backend as c_int;
        Options(options)
    }
}

/// `nvcompAlignmentRequirements_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Alignments {
    pub input: usize,
    pub output: usize,
    pub temporary: usize,
}

/// `nvcompProperties_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Properties {
    pub version: u32,
    pub cudart_version: u32,
}

/// `nvcompBatched*DecompressGetRequiredAlignments`.
pub(super) type GetAlignments = unsafe extern "C" fn(Options, *mut Alignments) -> Code;
/// `nvcompBatched*DecompressGetTempSize`: pages, bytes of the longest, options, result, bytes of
/// all, stream.
pub(super) type GetTemporary =
    unsafe extern "C" fn(usize, usize, Options, *mut usize, usize, *mut c_void) -> Code;
/// `nvcompBatched*DecompressAsync`. All but numbers and options are addresses on the GPU.
pub(super) type Decompress = unsafe extern "C" fn(
    sources: *const c_void,
    source_lens: *const usize,
    target_lens: *const usize,
    produced: *mut usize,
    count: usize,
    temporary: *mut c_void,
    temporary_len: usize,
    targets: *const c_void,
    options: Options,
    statuses: *mut Code,
    stream: *mut c_void,
) -> Code;

/// One format's functions.
#[derive(Clone, Copy)]
pub(super) struct Functions {
    pub alignments: GetAlignments,
    pub temporary: GetTemporary,
    pub decompress: Decompress,
}

pub(super) struct Library {
    library: libloading::Library,
    pub version: u32,
}

impl Library {
    /// Loads the library at the path in `PELTON_NVCOMP`, else where the system finds it. The error
    /// is one line.
    pub fn load() -> Result<Library, String> {
        let said = std::env::var_os("PELTON_NVCOMP").filter(|path| !path.is_empty()).map(PathBuf::from);
        Library::open(said.as_deref().unwrap_or(Path::new(NAME)))
    }

    pub fn open(path: &Path) -> Result<Library, String> {
        let said = |error: libloading::Error| format!("{}: {error}", path.display());
        // SAFETY: NVIDIA's library, at a path that the user or the system named.
        let library = unsafe { libloading::Library::new(path) }.map_err(said)?;
        // SAFETY: the type is that of nvcomp.h.
        let properties =
            unsafe { library.get::<unsafe extern "C" fn(*mut Properties) -> Code>(b"nvcompGetProperties") }
                .map_err(said)?;
        let mut found = Properties::default();
        // SAFETY: it writes two numbers, the size of the struct.
        let code = unsafe { properties(&mut found) };
        // The version is a decimal number: 6001 is 6.0.1.
        if code != 0 || found.version / 1000 != 6 {
            return Err(format!("{}: version {} where 6.x is needed", path.display(), found.version));
        }
        Ok(Library { library, version: found.version })
    }

    /// Returns the functions of a format, if it is one of nvCOMP's.
    pub fn functions(&self, format: Format) -> Option<Functions> {
        let name = match format {
            Format::Lz4Raw => "LZ4",
            Format::Snappy => "Snappy",
            Format::Deflate => "Deflate",
            Format::Gzip => "Gzip",
            Format::Zstd => "Zstd",
            Format::Uncompressed | Format::Zlib => return None,
        };
        let symbol = |function: &str| format!("nvcompBatched{name}Decompress{function}");
        // SAFETY: the types are those of the headers, and the functions are used only while `self`
        // is there.
        unsafe {
            Some(Functions {
                alignments: *self.library.get(symbol("GetRequiredAlignments")).ok()?,
                temporary: *self.library.get(symbol("GetTempSize")).ok()?,
                decompress: *self.library.get(symbol("Async")).ok()?,
            })
        }
    }
}
