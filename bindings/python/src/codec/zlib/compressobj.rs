use std::ffi::c_int;
use std::sync::Mutex;

use libz_rs_sys::{
    Z_BUF_ERROR, Z_FINISH, Z_MEM_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END, Z_STREAM_ERROR,
};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;

use super::error;
use super::pump::{Pumped, pump};
use crate::codec::single::run;
use crate::codec::sys::{Deflate, Input};

/// Compressing weighs so many times what decompressing the same plain bytes does.
const WEIGHT: usize = 4;

/// A compressor of a stream in pieces, made by compressobj(). Threads take turns with it.
#[pyclass(frozen, module = "pelton.zlib")]
pub struct Compress {
    /// None once the stream has ended.
    stream: Mutex<Option<Deflate>>,
}

/// Return a compressor object; the parameters are those of zlib's deflateInit2(), and zdict a dictionary.
#[pyfunction]
#[pyo3(signature = (level = -1, method = 8, wbits = 15, memLevel = 8, strategy = 0, zdict = None))]
#[allow(non_snake_case)]
pub fn compressobj(
    level: c_int,
    method: c_int,
    wbits: c_int,
    memLevel: c_int,
    strategy: c_int,
    zdict: Option<&Bound<'_, PyAny>>,
) -> PyResult<Compress> {
    let mut stream =
        Deflate::new(level, method, wbits, memLevel, strategy).map_err(|code| match code {
            Z_MEM_ERROR => PyMemoryError::new_err("Can't allocate memory for compression object"),
            Z_STREAM_ERROR => PyValueError::new_err("Invalid initialization option"),
            code => error::of(code, "while creating compression object", None),
        })?;
    if let Some(zdict) = zdict {
        let dictionary = Input::new(zdict, "zdict")?;
        match stream.set_dictionary(dictionary.as_slice()) {
            Z_OK => {}
            Z_STREAM_ERROR => return Err(PyValueError::new_err("Invalid dictionary")),
            code => return Err(error::of(code, "while setting dictionary", stream.message())),
        }
    }
    Ok(Compress { stream: Mutex::new(Some(stream)) })
}

#[pymethods]
impl Compress {
    #[new]
    fn new() -> PyResult<Self> {
        Err(PyTypeError::new_err("cannot create 'pelton.zlib.Compress' instances"))
    }

    /// Compress data; what comes out may lag behind.
    #[pyo3(signature = (data, /))]
    fn compress<'py>(&self, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let input = Input::new(data, "data")?;
        self.write(data.py(), input.as_slice(), Z_NO_FLUSH, "while compressing data")
    }

    /// Give all that lags behind; with Z_FINISH, end the stream.
    #[pyo3(signature = (mode = Z_FINISH, /))]
    fn flush<'py>(&self, py: Python<'py>, mode: c_int) -> PyResult<Bound<'py, PyBytes>> {
        if mode == Z_NO_FLUSH {
            return Ok(PyBytes::new(py, &[]));
        }
        self.write(py, &[], mode, "while flushing")
    }

    /// Return a copy, which goes on as this one would.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let mut stream = self.lock(py);
        let stream =
            stream.as_mut().ok_or_else(|| PyValueError::new_err("Inconsistent stream state"))?;
        let copy = stream.copy().map_err(|code| match code {
            Z_STREAM_ERROR => PyValueError::new_err("Inconsistent stream state"),
            code => error::of(code, "while copying compression object", None),
        })?;
        Ok(Self { stream: Mutex::new(Some(copy)) })
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    #[pyo3(signature = (_memo, /))]
    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    #[pyo3(signature = (*_arguments))]
    fn __reduce_ex__(&self, _arguments: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyTypeError::new_err("cannot pickle 'pelton.zlib.Compress' object"))
    }
}

impl Compress {
    fn lock(&self, py: Python<'_>) -> std::sync::MutexGuard<'_, Option<Deflate>> {
        self.stream.lock_py_attached(py).unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn write<'py>(
        &self,
        py: Python<'py>,
        input: &[u8],
        flush: c_int,
        doing: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut guard = self.lock(py);
        let Some(stream) = guard.as_mut() else { return Err(error::of(Z_STREAM_ERROR, doing, None)) };
        let weight = input.len().saturating_mul(WEIGHT);
        let pumped: Pumped = run(py, weight, || {
            pump(input, input.len() / 2, usize::MAX, |input, room| stream.run(input, room, flush))
        });
        match pumped.code {
            Z_STREAM_END if flush == Z_FINISH => *guard = None,
            Z_OK | Z_BUF_ERROR | Z_STREAM_END => {}
            code => return Err(error::of(code, doing, stream.message())),
        }
        Ok(PyBytes::new(py, pumped.output()))
    }
}
