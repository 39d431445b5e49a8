use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard, PoisonError};

use libz_rs_sys::{Z_FINISH, Z_MEM_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_ERROR};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;

use super::deflate_stream::{Settings, State};
use crate::codec::codecs::run;
use crate::codec::error;
use crate::codec::sys::Input;

/// Ratio of the time of compression to that of decompression.
const WEIGHT: usize = 4;

/// A compressor of a stream in pieces, made by compressobj(). Threads take turns with it.
#[pyclass(frozen, module = "pelton.zlib")]
pub struct Compress {
    state: Mutex<State>,
}

/// Return a compressor object; the parameters are those of zlib's deflateInit2(), and zdict a
/// dictionary.
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
    let settings = Settings { level, method, wbits, mem_level: memLevel, strategy };
    let wrong = |code| match code {
        Z_MEM_ERROR => PyMemoryError::new_err("Can't allocate memory for compression object"),
        Z_STREAM_ERROR => PyValueError::new_err("Invalid initialization option"),
        code => error::zlib_code(code, "while creating compression object", None),
    };
    let Some(zdict) = zdict else {
        return Ok(Compress { state: Mutex::new(settings.begin().map_err(wrong)?) });
    };
    let mut stream = settings.open().map_err(wrong)?;
    match stream.set_dictionary(Input::new(zdict, "zdict")?.as_slice()) {
        Z_OK => Ok(Compress { state: Mutex::new(State::Open(stream)) }),
        Z_STREAM_ERROR => Err(PyValueError::new_err("Invalid dictionary")),
        code => Err(error::zlib_code(code, "while setting dictionary", stream.message())),
    }
}

#[pymethods]
impl Compress {
    #[new]
    fn new() -> PyResult<Self> {
        Err(PyTypeError::new_err("cannot create 'pelton.zlib.Compress' instances"))
    }

    /// Compress data; the output may lag behind.
    #[pyo3(signature = (data, /))]
    fn compress<'py>(&self, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let input = Input::new(data, "data")?;
        self.write(data.py(), input.as_slice(), Z_NO_FLUSH, "while compressing data")
    }

    /// Return the output that lags behind; with Z_FINISH, end the stream.
    #[pyo3(signature = (mode = Z_FINISH, /))]
    fn flush<'py>(&self, py: Python<'py>, mode: c_int) -> PyResult<Bound<'py, PyBytes>> {
        if mode == Z_NO_FLUSH {
            return Ok(PyBytes::new(py, &[]));
        }
        self.write(py, &[], mode, "while flushing")
    }

    /// Return an independent copy.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let copy = self.lock(py).copy().map_err(|code| match code {
            Z_STREAM_ERROR => PyValueError::new_err("Inconsistent stream state"),
            code => error::zlib_code(code, "while copying compression object", None),
        })?;
        Ok(Self { state: Mutex::new(copy) })
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
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn write<'py>(
        &self,
        py: Python<'py>,
        input: &[u8],
        flush: c_int,
        doing: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut state = self.lock(py);
        let state = &mut *state;
        let mut compressed = Vec::new();
        let weight = match state {
            State::Kept { uncompressed, .. } if flush != Z_NO_FLUSH => uncompressed.len(),
            _ => input.len(),
        };
        run(py, weight.saturating_mul(WEIGHT), || {
            state.write(input, flush, |piece| compressed.extend_from_slice(piece))
        })
        .map_err(|(code, message)| error::zlib_code(code, doing, message))?;
        Ok(PyBytes::new(py, &compressed))
    }
}
