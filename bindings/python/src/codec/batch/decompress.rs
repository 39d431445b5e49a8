use pelton_codec::{Progress, Stream};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use super::device::Device;
use super::items::{self, Item, Place, place};
use super::{interleaving, parallel};
use crate::codec::{error, format, size};
use crate::numbers::{whole, whole_or_none};

/// Bytes of guessed output buffers at the same time: results of unknown size are copied from them
/// into their objects.
const GUESSED_AT_ONCE: usize = 32 << 20;

/// Decompress many buffers in one call: several DEFLATE streams interleaved, and on several
/// threads.
///
/// items: a sequence of objects that export contiguous buffers. format: as in decompress(); with
/// "auto", each of its own. sizes: a sequence of the bytes that each decompresses to, None where
/// that is not known. Formats that say it themselves (gzip, zstd, snappy, lz4-hadoop) don't need
/// it; zlib, deflate, lz4 and brotli are faster with it. max_length: the bytes that each may
/// decompress to at most. device: one or a list of devices, as for connect(): "cpu", ["iaa",
/// "cpu"]. "auto", and None, is the CPU and the accelerators that the machine has or PELTON_DEVICES
/// names. threads: how many to use on the CPU at most; one for each core if not given.
///
/// Returns a list of bytes. Raises DataError for the first damaged item that is found, with its
/// index.
#[pyfunction]
#[pyo3(
    signature = (items, format = "auto", *, sizes = None, max_length = size::MAX_LENGTH, device = None, threads = None),
    text_signature = "(items, format='auto', *, sizes=None, max_length=1073741824, device=None, threads=None)"
)]
pub fn decompress_batch<'py>(
    items: &Bound<'py, PyAny>,
    format: &str,
    #[pyo3(from_py_with = items::sizes_given)] sizes: Option<Vec<Option<usize>>>,
    #[pyo3(from_py_with = whole)] max_length: usize,
    device: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = whole_or_none)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyList>> {
    let py = items.py();
    let format = format::named_or_auto(format)?;
    let device = Device::given(py, device)?;
    let inputs = items::inputs(items)?;
    let data: Vec<&[u8]> = inputs.iter().map(|input| input.as_slice()).collect();
    let sizes = items::sizes(sizes, data.len())?;
    let mut items = Vec::with_capacity(data.len());
    for (index, (data, size)) in data.iter().zip(sizes).enumerate() {
        let format = format::of(format, data).map_err(|error| at(py, index, &error))?;
        if size.is_some_and(|size| size > max_length) {
            return Err(error::too_long(&place(index), max_length));
        }
        items.push(Item { format, size, place: Place::Nowhere });
    }
    let mut batch = Batch { data: &data, items, ratio: size::GUESS, max_length };
    let threads = parallel::threads(threads);
    let mut left = batch.order();
    while !left.is_empty() {
        left = batch.round(py, &left, &device, threads)?;
    }
    let results: Vec<Bound<'py, PyBytes>> = batch.items.into_iter().filter_map(Item::done).collect();
    PyList::new(py, results)
}

fn at(py: Python<'_>, index: usize, error: &PyErr) -> PyErr {
    error::data(format!("{}{}", place(index), error.value(py)))
}

struct Batch<'a, 'py> {
    data: &'a [&'a [u8]],
    items: Vec<Item<'py>>,
    /// Factor for guessing sizes: the largest ratio of the last results, with a margin.
    ratio: f64,
    max_length: usize,
}

impl<'py> Batch<'_, 'py> {
    /// Returns the indexes of the items, ordered by class.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.data.len()).collect();
        order.sort_by_cached_key(|&index| {
            let (item, data) = (&self.items[index], self.data[index]);
            let uncompressed = item.size.or_else(|| size::claimed(item.format, data)).unwrap_or(0);
            interleaving::class(data.len(), uncompressed)
        });
        order
    }

    /// Decompresses the items of `indices` that have memory at once. Returns the remaining ones,
    /// for the next round, among them those that needed more memory.
    fn round(
        &mut self,
        py: Python<'py>,
        indices: &[usize],
        device: &Device,
        threads: usize,
    ) -> PyResult<Vec<usize>> {
        let (mut guessed, mut taken) = (0, 0);
        for &index in indices {
            self.items[index].prepare(py, self.data[index], self.ratio, self.max_length)?;
            taken += 1;
            if let Place::Guess(guess) = &self.items[index].place {
                guessed += guess.len();
                if guessed > GUESSED_AT_ONCE {
                    break;
                }
            }
        }
        let (now, later) = indices.split_at(taken);
        let mut buffers: Vec<_> = self.items.iter_mut().map(|item| (item.format, item.buffer())).collect();
        let mut streams = Vec::with_capacity(taken);
        for &index in now {
            let (format, buffer) = (buffers[index].0, buffers[index].1.take().unwrap_or_default());
            streams.push(Stream::new(format, self.data[index], buffer));
        }
        device.decompress(py, &mut streams, threads)?;
        let mut results: Vec<_> =
            now.iter().copied().zip(streams.into_iter().map(|stream| stream.result)).collect();
        let mut left = Vec::new();
        // The error of the first damaged item is reported.
        results.sort_unstable_by_key(|(index, _)| *index);
        for (index, result) in results {
            self.learn(index, &result);
            self.items[index].settle(py, result, &place(index), self.max_length)?;
            if !matches!(self.items[index].place, Place::Done(_)) {
                left.push(index);
            }
        }
        left.extend(later);
        Ok(left)
    }

    fn learn(&mut self, index: usize, result: &Result<Progress, pelton_codec::Error>) {
        if let (Place::Guess(_), Ok(done)) = (&self.items[index].place, result) {
            let ratio = done.produced as f64 / self.data[index].len().max(1) as f64;
            self.ratio = self.ratio.max(ratio * size::MARGIN);
        }
    }
}
