use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::read::READ;
use super::{header, whole};
use crate::codec::sys::{Inflate, Output};

/// The members of a gzip file, from an object with a method read(size).
#[pyclass]
pub struct Members {
    pub(super) file: Py<PyAny>,
    pub(super) input: Vec<u8>,
    /// What of it was used.
    pub(super) at: usize,
    pub(super) stream: Option<Inflate>,
    pub(super) place: Place,
    pub(super) crc: u32,
    pub(super) len: u32,
    /// Members in a row that were tried whole in vain.
    pub(super) in_vain: u32,
    /// MTIME of the last header.
    #[pyo3(get)]
    pub(super) mtime: Option<u32>,
}

/// Where in the file it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At a member, or at the end of the file.
    Header {
        is_first: bool,
    },
    Body,
    Trailer,
}

#[pymethods]
impl Members {
    #[new]
    fn new(file: Py<PyAny>) -> Self {
        Self {
            file,
            input: Vec::new(),
            at: 0,
            stream: None,
            place: Place::Header { is_first: true },
            crc: 0,
            len: 0,
            in_vain: 0,
            mtime: None,
        }
    }

    /// Decompress into a buffer: some bytes, none at the end of the file.
    #[pyo3(signature = (out, /))]
    fn read_into(&mut self, out: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mut output = Output::new(out, "out")?;
        self.read(out.py(), output.as_mut_slice())
    }

    /// Decompress all that is left.
    fn read_all<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        if matches!(self.place, Place::Header { .. })
            && self.gather(py)?
            && let Some(plain) = whole::all(py, self.rest())?
        {
            if self.mtime.is_none() {
                self.mtime = header::parse(self.rest())?.map(|header| header.mtime);
            }
            (self.at, self.place) = (self.input.len(), Place::Header { is_first: false });
            return Ok(plain);
        }
        let mut plain = vec![0; READ];
        let mut len = 0;
        loop {
            match self.read(py, &mut plain[len..])? {
                0 => return Ok(PyBytes::new(py, &plain[..len])),
                more => len += more,
            }
            if len == plain.len() {
                plain.try_reserve_exact(len).map_err(|_| crate::codec::error::no_memory(len))?;
                plain.resize(2 * len, 0);
            }
        }
    }
}
