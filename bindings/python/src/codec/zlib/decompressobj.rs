use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard, PoisonError};

use libz_rs_sys::{Z_BUF_ERROR, Z_FINISH, Z_MEM_ERROR, Z_OK, Z_STREAM_END, Z_STREAM_ERROR, Z_SYNC_FLUSH};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;

use super::growing_output::MIN_CAPACITY;
use super::inflate_stream::{State, set_dictionary};
use crate::codec::error;
use crate::codec::sys::{Inflate, Input};

/// A decompressor of a stream in pieces, made by decompressobj(). Threads take turns with it.
#[pyclass(frozen, module = "pelton.zlib")]
pub struct Decompress {
    state: Mutex<State>,
}

/// Return a decompressor object; wbits are those of zlib's inflateInit2(), and zdict the dictionary
/// that the stream was made with.
#[pyfunction]
#[pyo3(signature = (wbits = 15, zdict = None))]
pub fn decompressobj(py: Python<'_>, wbits: c_int, zdict: Option<&Bound<'_, PyAny>>) -> PyResult<Decompress> {
    let dictionary = zdict.map(|zdict| Ok::<_, PyErr>(Input::new(zdict, "zdict")?.as_slice().to_vec()));
    let dictionary = dictionary.transpose()?;
    let mut stream = Inflate::new(wbits).map_err(|code| match code {
        Z_STREAM_ERROR => PyValueError::new_err("Invalid initialization option"),
        Z_MEM_ERROR => PyMemoryError::new_err("Can't allocate memory for decompression object"),
        code => error::zlib_code(code, "while creating decompression object", None),
    })?;
    if let Some(dictionary) = &dictionary
        && wbits < 0
    {
        // A raw stream doesn't ask for it.
        set_dictionary(&mut stream, dictionary)?;
    }
    let empty = || PyBytes::new(py, &[]).unbind();
    let state = State {
        stream: Some(stream),
        dictionary,
        unused_data: empty(),
        unconsumed_tail: empty(),
        eof: false,
    };
    Ok(Decompress { state: Mutex::new(state) })
}

#[pymethods]
impl Decompress {
    #[new]
    fn new() -> PyResult<Self> {
        Err(PyTypeError::new_err("cannot create 'pelton.zlib.Decompress' instances"))
    }

    /// Decompress data, into at most max_length bytes if that is not 0; the unused part of data is
    /// then unconsumed_tail.
    #[pyo3(signature = (data, /, max_length = 0))]
    fn decompress<'py>(&self, data: &Bound<'py, PyAny>, max_length: isize) -> PyResult<Bound<'py, PyBytes>> {
        let py = data.py();
        let limit = match usize::try_from(max_length) {
            Ok(0) => usize::MAX,
            Ok(limit) => limit,
            Err(_) => return Err(PyValueError::new_err("max_length must be non-negative")),
        };
        let input = Input::new(data, "data")?;
        let mut state = self.lock(py);
        let output = state.read(py, input.as_slice(), limit, Z_SYNC_FLUSH);
        state.keep(py, input.as_slice(), &output);
        match output.code {
            Z_OK | Z_BUF_ERROR | Z_STREAM_END => Ok(PyBytes::new(py, output.bytes())),
            code => {
                let message = state.stream.as_ref().and_then(Inflate::message);
                Err(error::zlib_code(code, "while decompressing data", message))
            }
        }
    }

    /// Decompress unconsumed_tail. length is the first capacity of the output.
    #[pyo3(signature = (length = MIN_CAPACITY as isize, /))]
    fn flush<'py>(&self, py: Python<'py>, length: isize) -> PyResult<Bound<'py, PyBytes>> {
        if length <= 0 {
            return Err(PyValueError::new_err("length must be greater than zero"));
        }
        let mut state = self.lock(py);
        let tail = state.unconsumed_tail.clone_ref(py);
        let input = tail.as_bytes(py);
        let output = state.read(py, input, usize::MAX, Z_FINISH);
        state.keep(py, input, &output);
        if state.eof {
            state.stream = None;
        }
        Ok(PyBytes::new(py, output.bytes()))
    }

    /// Return an independent copy.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let state = self.lock(py);
        let wrong = || PyValueError::new_err("Inconsistent stream state");
        let stream = state.stream.as_ref().ok_or_else(wrong)?;
        let copy = stream.copy().map_err(|code| match code {
            Z_STREAM_ERROR => wrong(),
            code => error::zlib_code(code, "while copying decompression object", None),
        })?;
        let state = State {
            stream: Some(copy),
            dictionary: state.dictionary.clone(),
            unused_data: state.unused_data.clone_ref(py),
            unconsumed_tail: state.unconsumed_tail.clone_ref(py),
            eof: state.eof,
        };
        Ok(Self { state: Mutex::new(state) })
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
        Err(PyTypeError::new_err("cannot pickle 'pelton.zlib.Decompress' object"))
    }

    /// Return the bytes after the end of the stream.
    #[getter]
    fn unused_data(&self, py: Python<'_>) -> Py<PyBytes> {
        self.lock(py).unused_data.clone_ref(py)
    }

    /// Return the part of the last call's data that max_length left unused.
    #[getter]
    fn unconsumed_tail(&self, py: Python<'_>) -> Py<PyBytes> {
        self.lock(py).unconsumed_tail.clone_ref(py)
    }

    /// Returns whether the end of the stream was reached.
    #[getter]
    fn eof(&self, py: Python<'_>) -> bool {
        self.lock(py).eof
    }
}

impl Decompress {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}
