use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard, PoisonError};

use libz_rs_sys::{
    Z_BUF_ERROR, Z_FINISH, Z_MEM_ERROR, Z_NEED_DICT, Z_OK, Z_STREAM_END, Z_STREAM_ERROR, Z_SYNC_FLUSH,
};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;

use super::error;
use super::pump::{LEAST, Pumped, pump};
use crate::codec::single::run;
use crate::codec::sys::{Inflate, Input, Status};

/// Compressed bytes become so many plain ones, as a rule: for the first room that is made.
const RATIO: usize = 4;

/// A decompressor of a stream in pieces, made by decompressobj(). Threads take turns with it.
#[pyclass(frozen, module = "pelton.zlib")]
pub struct Decompress {
    state: Mutex<State>,
}

struct State {
    /// None once the stream has ended and was flushed.
    stream: Option<Inflate>,
    dictionary: Option<Vec<u8>>,
    unused_data: Py<PyBytes>,
    unconsumed_tail: Py<PyBytes>,
    eof: bool,
}

/// Return a decompressor object; wbits are those of zlib's inflateInit2(), and zdict the dictionary that the stream was made with.
#[pyfunction]
#[pyo3(signature = (wbits = 15, zdict = None))]
pub fn decompressobj(py: Python<'_>, wbits: c_int, zdict: Option<&Bound<'_, PyAny>>) -> PyResult<Decompress> {
    let dictionary = zdict.map(|zdict| Ok::<_, PyErr>(Input::new(zdict, "zdict")?.as_slice().to_vec()));
    let dictionary = dictionary.transpose()?;
    let mut stream = Inflate::new(wbits).map_err(|code| match code {
        Z_STREAM_ERROR => PyValueError::new_err("Invalid initialization option"),
        Z_MEM_ERROR => PyMemoryError::new_err("Can't allocate memory for decompression object"),
        code => error::of(code, "while creating decompression object", None),
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

pub fn set_dictionary(stream: &mut Inflate, dictionary: &[u8]) -> PyResult<()> {
    match stream.set_dictionary(dictionary) {
        Z_OK => Ok(()),
        code => Err(error::of(code, "while setting zdict", stream.message())),
    }
}

#[pymethods]
impl Decompress {
    #[new]
    fn new() -> PyResult<Self> {
        Err(PyTypeError::new_err("cannot create 'pelton.zlib.Decompress' instances"))
    }

    /// Decompress data, into at most max_length bytes if that is not 0; what is left of data is then unconsumed_tail.
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
        let pumped = state.read(py, input.as_slice(), limit, Z_SYNC_FLUSH);
        state.keep(py, input.as_slice(), &pumped);
        match pumped.code {
            Z_OK | Z_BUF_ERROR | Z_STREAM_END => Ok(PyBytes::new(py, pumped.output())),
            code => {
                let message = state.stream.as_ref().and_then(Inflate::message);
                Err(error::of(code, "while decompressing data", message))
            }
        }
    }

    /// Decompress unconsumed_tail. length is the room that is made first.
    #[pyo3(signature = (length = LEAST as isize, /))]
    fn flush<'py>(&self, py: Python<'py>, length: isize) -> PyResult<Bound<'py, PyBytes>> {
        if length <= 0 {
            return Err(PyValueError::new_err("length must be greater than zero"));
        }
        let mut state = self.lock(py);
        let tail = state.unconsumed_tail.clone_ref(py);
        let input = tail.as_bytes(py);
        let pumped = state.read(py, input, usize::MAX, Z_FINISH);
        state.keep(py, input, &pumped);
        if state.eof {
            state.stream = None;
        }
        Ok(PyBytes::new(py, pumped.output()))
    }

    /// Return a copy, which goes on as this one would.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let state = self.lock(py);
        let wrong = || PyValueError::new_err("Inconsistent stream state");
        let stream = state.stream.as_ref().ok_or_else(wrong)?;
        let copy = stream.copy().map_err(|code| match code {
            Z_STREAM_ERROR => wrong(),
            code => error::of(code, "while copying decompression object", None),
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

    /// What came after the end of the stream.
    #[getter]
    fn unused_data(&self, py: Python<'_>) -> Py<PyBytes> {
        self.lock(py).unused_data.clone_ref(py)
    }

    /// What max_length left of the last call's data.
    #[getter]
    fn unconsumed_tail(&self, py: Python<'_>) -> Py<PyBytes> {
        self.lock(py).unconsumed_tail.clone_ref(py)
    }

    /// Whether the end of the stream was reached.
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

impl State {
    fn read(&mut self, py: Python<'_>, input: &[u8], limit: usize, flush: c_int) -> Pumped {
        let (stream, dictionary, eof) = (&mut self.stream, &self.dictionary, self.eof);
        let guess = input.len().saturating_mul(RATIO);
        run(py, guess, || {
            pump(input, guess, limit, |input, room| match stream {
                _ if eof => Status { code: Z_STREAM_END, consumed: 0, produced: 0 },
                None => Status { code: Z_STREAM_ERROR, consumed: 0, produced: 0 },
                Some(stream) => step(stream, dictionary.as_deref(), input, room, flush),
            })
        })
    }

    /// Keeps what was not consumed.
    fn keep(&mut self, py: Python<'_>, input: &[u8], pumped: &Pumped) {
        let rest = &input[pumped.consumed..];
        if pumped.code == Z_STREAM_END {
            self.eof = true;
            if !rest.is_empty() {
                let all = [self.unused_data.as_bytes(py), rest].concat();
                self.unused_data = PyBytes::new(py, &all).unbind();
            }
            self.unconsumed_tail = PyBytes::new(py, &[]).unbind();
        } else if !rest.is_empty() || !self.unconsumed_tail.as_bytes(py).is_empty() {
            self.unconsumed_tail = PyBytes::new(py, rest).unbind();
        }
    }
}

/// One call, and another where the stream has asked for its dictionary.
pub fn step(
    stream: &mut Inflate,
    dictionary: Option<&[u8]>,
    input: &[u8],
    room: &mut [u8],
    flush: c_int,
) -> Status {
    let first = stream.run(input, room, flush);
    let Some(dictionary) = dictionary.filter(|_| first.code == Z_NEED_DICT) else { return first };
    match stream.set_dictionary(dictionary) {
        Z_OK => {
            let next = stream.run(&input[first.consumed..], &mut room[first.produced..], flush);
            Status {
                code: next.code,
                consumed: first.consumed + next.consumed,
                produced: first.produced + next.produced,
            }
        }
        code => Status { code, ..first },
    }
}
