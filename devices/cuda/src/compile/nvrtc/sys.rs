//! NVRTC's functions, and programs that are freed when dropped.
//!
//! cudarc has them too, but loads the library by its name alone; here a path can be given.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;

use crate::{Error, Result};

/// `nvrtcResult`; zero is success.
type Status = c_int;
const SUCCESS: Status = 0;
/// `NVRTC_ERROR_COMPILATION`: the log says more.
const ERROR_COMPILATION: Status = 6;

type Handle = *mut c_void;
type Texts = *const *const c_char;

/// The functions that are used, from nvrtc.h; unchanged since CUDA 11.2.
#[derive(Clone, Copy)]
struct Functions {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status,
    error_string: unsafe extern "C" fn(Status) -> *const c_char,
    architecture_count: unsafe extern "C" fn(*mut c_int) -> Status,
    architectures: unsafe extern "C" fn(*mut c_int) -> Status,
    create: unsafe extern "C" fn(*mut Handle, *const c_char, *const c_char, c_int, Texts, Texts) -> Status,
    destroy: unsafe extern "C" fn(*mut Handle) -> Status,
    compile: unsafe extern "C" fn(Handle, c_int, Texts) -> Status,
    log_size: unsafe extern "C" fn(Handle, *mut usize) -> Status,
    log: unsafe extern "C" fn(Handle, *mut c_char) -> Status,
    cubin_size: unsafe extern "C" fn(Handle, *mut usize) -> Status,
    cubin: unsafe extern "C" fn(Handle, *mut c_char) -> Status,
}

pub(super) struct Library {
    functions: Functions,
    /// Keeps the functions loaded.
    _library: libloading::Library,
}

impl Library {
    /// Loads the library. The error is one line.
    pub fn open(path: &Path) -> Result<Library, String> {
        let said = |error: libloading::Error| format!("{}: {error}", path.display());
        // SAFETY: NVIDIA's library, at a path that the user or the system named.
        let library = unsafe { libloading::Library::new(path) }.map_err(said)?;
        macro_rules! get {
            ($name:literal) => {
                // SAFETY: the type is that of nvrtc.h.
                *unsafe { library.get($name) }.map_err(said)?
            };
        }
        let functions = Functions {
            version: get!(b"nvrtcVersion"),
            error_string: get!(b"nvrtcGetErrorString"),
            architecture_count: get!(b"nvrtcGetNumSupportedArchs"),
            architectures: get!(b"nvrtcGetSupportedArchs"),
            create: get!(b"nvrtcCreateProgram"),
            destroy: get!(b"nvrtcDestroyProgram"),
            compile: get!(b"nvrtcCompileProgram"),
            log_size: get!(b"nvrtcGetProgramLogSize"),
            log: get!(b"nvrtcGetProgramLog"),
            cubin_size: get!(b"nvrtcGetCUBINSize"),
            cubin: get!(b"nvrtcGetCUBIN"),
        };
        Ok(Library { functions, _library: library })
    }

    fn check(&self, call: &'static str, status: Status) -> Result<()> {
        if status == SUCCESS {
            return Ok(());
        }
        // SAFETY: any status has a string that is never freed.
        let text = unsafe {
            let text = (self.functions.error_string)(status);
            if text.is_null() { "".into() } else { CStr::from_ptr(text).to_string_lossy() }
        };
        Err(Error::Nvrtc { call, why: format!("{text} ({status})") })
    }

    pub fn version(&self) -> Result<(u32, u32)> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: two numbers are written.
        let status = unsafe { (self.functions.version)(&mut major, &mut minor) };
        self.check("nvrtcVersion", status)?;
        Ok((major.unsigned_abs(), minor.unsigned_abs()))
    }

    /// Returns the supported architectures, such as 90 for sm_90.
    pub fn architectures(&self) -> Result<Vec<u32>> {
        let mut count = 0;
        // SAFETY: a number is written.
        let status = unsafe { (self.functions.architecture_count)(&mut count) };
        self.check("nvrtcGetNumSupportedArchs", status)?;
        let mut numbers: Vec<c_int> = vec![0; count.max(0) as usize];
        // SAFETY: the buffer has the count of numbers that the other function returned.
        let status = unsafe { (self.functions.architectures)(numbers.as_mut_ptr()) };
        self.check("nvrtcGetSupportedArchs", status)?;
        Ok(numbers.into_iter().map(c_int::unsigned_abs).collect())
    }
}

/// A source that is being compiled.
pub(super) struct Program<'a> {
    library: &'a Library,
    handle: Handle,
}

impl<'a> Program<'a> {
    /// Makes a program. Headers are pairs of the name in `#include` and the text. All texts are
    /// copied.
    pub fn new(
        library: &'a Library,
        text: &CStr,
        name: &CStr,
        headers: &[(CString, CString)],
    ) -> Result<Program<'a>> {
        let names: Vec<_> = headers.iter().map(|(name, _)| name.as_ptr()).collect();
        let texts: Vec<_> = headers.iter().map(|(_, text)| text.as_ptr()).collect();
        let mut handle = std::ptr::null_mut();
        // SAFETY: strings that end with zero and live through the call, with their count.
        let status = unsafe {
            let count = headers.len() as c_int;
            (library.functions.create)(
                &mut handle,
                text.as_ptr(),
                name.as_ptr(),
                count,
                texts.as_ptr(),
                names.as_ptr(),
            )
        };
        library.check("nvrtcCreateProgram", status)?;
        Ok(Program { library, handle })
    }

    /// Compiles the program; false if the source does not compile.
    pub fn compile(&self, options: &[CString]) -> Result<bool> {
        let options: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: strings that end with zero, with their count.
        let status = unsafe {
            (self.library.functions.compile)(self.handle, options.len() as c_int, options.as_ptr())
        };
        if status == ERROR_COMPILATION {
            return Ok(false);
        }
        self.library.check("nvrtcCompileProgram", status)?;
        Ok(true)
    }

    pub fn log(&self) -> Result<String> {
        let functions = self.library.functions;
        let bytes = self.read("nvrtcGetProgramLog", functions.log_size, functions.log)?;
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\0').trim_end().to_string())
    }

    pub fn cubin(&self) -> Result<Vec<u8>> {
        let functions = self.library.functions;
        self.read("nvrtcGetCUBIN", functions.cubin_size, functions.cubin)
    }

    fn read(
        &self,
        call: &'static str,
        size: unsafe extern "C" fn(Handle, *mut usize) -> Status,
        get: unsafe extern "C" fn(Handle, *mut c_char) -> Status,
    ) -> Result<Vec<u8>> {
        let mut bytes = 0;
        // SAFETY: a number is written.
        self.library.check(call, unsafe { size(self.handle, &mut bytes) })?;
        let mut contents = vec![0u8; bytes];
        // SAFETY: the buffer has the size that the other function returned.
        self.library.check(call, unsafe { get(self.handle, contents.as_mut_ptr().cast()) })?;
        Ok(contents)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: created by this library, and destroyed once.
        unsafe { (self.library.functions.destroy)(&mut self.handle) };
    }
}
