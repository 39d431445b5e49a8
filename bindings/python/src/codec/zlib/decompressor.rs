use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard, PoisonError};

use libz_rs_sys::{Z_BUF_ERROR, Z_MEM_ERROR, Z_OK, Z_STREAM_END, Z_STREAM_ERROR, Z_SYNC_FLUSH};
use pyo3::exceptions::{PyEOFError, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;

use super::growing_output::run_growing;
use super::inflate_stream::{RATIO, set_dictionary, step};
use crate::codec::codecs::run;
use crate::codec::error;
use crate::codec::sys::{Inflate, Input};

/// The decompressor of Python's own gzip module from 3.12 on: like bz2's and lzma's, it keeps
/// unused input.
#[pyclass(frozen, module = "pelton.zlib", name = "_ZlibDecompressor")]
pub struct Decompressor {
    state: Mutex<State>,
}

struct State {
    stream: Inflate,
    dictionary: Option<Vec<u8>>,
    /// Input left unused by a limited output.
    kept: Vec<u8>,
    unused_data: Py<PyBytes>,
    needs_input: bool,
    eof: bool,
}

#[pymethods]
impl Decompressor {
    #[new]
    #[pyo3(signature = (wbits = 15, zdict = None))]
    fn new(py: Python<'_>, wbits: c_int, zdict: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let dictionary = zdict.map(|zdict| Ok::<_, PyErr>(Input::new(zdict, "zdict")?.as_slice().to_vec()));
        let dictionary = dictionary.transpose()?.filter(|dictionary| !dictionary.is_empty());
        let mut stream = Inflate::new(wbits).map_err(|code| match code {
            Z_STREAM_ERROR => PyValueError::new_err("Invalid initialization option"),
            Z_MEM_ERROR => PyMemoryError::new_err("Can't allocate memory for decompression object"),
            code => error::zlib_code(code, "while creating decompression object", None),
        })?;
        if let Some(dictionary) = dictionary.as_ref().filter(|_| wbits < 0) {
            set_dictionary(&mut stream, dictionary)?;
        }
        let unused_data = PyBytes::new(py, &[]).unbind();
        let state =
            State { stream, dictionary, kept: Vec::new(), unused_data, needs_input: true, eof: false };
        Ok(Self { state: Mutex::new(state) })
    }

    /// Decompress the kept input and data, into at most max_length bytes if that is not negative.
    #[pyo3(signature = (data, max_length = -1))]
    fn decompress<'py>(&self, data: &Bound<'py, PyAny>, max_length: isize) -> PyResult<Bound<'py, PyBytes>> {
        let py = data.py();
        let limit = usize::try_from(max_length).unwrap_or(usize::MAX);
        let input = Input::new(data, "data")?;
        let mut guard = self.lock(py);
        let state = &mut *guard;
        if state.eof {
            return Err(PyEOFError::new_err("End of stream already reached"));
        }
        let mut all = std::mem::take(&mut state.kept);
        let input = if all.is_empty() {
            input.as_slice()
        } else {
            all.extend_from_slice(input.as_slice());
            &all
        };
        let (stream, dictionary) = (&mut state.stream, state.dictionary.as_deref());
        let guess = input.len().saturating_mul(RATIO).min(limit);
        let output = run(py, guess, || {
            run_growing(input, guess, limit, |input, buffer| {
                step(stream, dictionary, input, buffer, Z_SYNC_FLUSH)
            })
        });
        let rest = &input[output.consumed..];
        match output.code {
            Z_STREAM_END => {
                state.eof = true;
                state.needs_input = false;
                state.unused_data = PyBytes::new(py, rest).unbind();
            }
            Z_OK | Z_BUF_ERROR => {
                // With a full output buffer, the stream may have more output.
                state.needs_input = rest.is_empty() && output.produced < limit;
                state.kept = rest.to_vec();
            }
            code => return Err(error::zlib_code(code, "while decompressing data", state.stream.message())),
        }
        Ok(PyBytes::new(py, output.bytes()))
    }

    /// Return the bytes after the end of the stream.
    #[getter]
    fn unused_data(&self, py: Python<'_>) -> Py<PyBytes> {
        self.lock(py).unused_data.clone_ref(py)
    }

    /// Returns whether it takes more input to give more.
    #[getter]
    fn needs_input(&self, py: Python<'_>) -> bool {
        self.lock(py).needs_input
    }

    /// Returns whether the end of the stream was reached.
    #[getter]
    fn eof(&self, py: Python<'_>) -> bool {
        self.lock(py).eof
    }

    #[pyo3(signature = (*_arguments))]
    fn __reduce_ex__(&self, _arguments: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(pyo3::exceptions::PyTypeError::new_err("cannot pickle 'zlib._ZlibDecompressor' object"))
    }
}

impl Decompressor {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}
