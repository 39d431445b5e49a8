//! Decompression, format by format: many pages of 64 KB at once, and one page of 1 MiB alone.

use std::time::Instant;

use bytes::Bytes;
use pelton::codec::{self, Encoder, compress_bound};
use pelton_device_cuda::{Buffer, Decompressor, Format, Gpu, NvcompUse, PageTask, Stream};
use serde::Serialize;
use tpchgen::generators::LineItemGenerator;

use super::device_failed;

use pelton_report::numbers::median;
use pelton_tpch::Error;
use pelton_tpch::data::generate::generate_part;
use pelton_tpch::data::table::Table;

/// Bytes of a page before it is compressed.
const PAGE_BYTES: usize = 64 << 10;

/// The same of the page that is decompressed alone, as dictionaries are that large in most files.
const LONG_PAGE_BYTES: usize = 1 << 20;

/// Bytes to decompress at a time: some thousand pages, several for each multiprocessor of the
/// largest GPU.
const DATA_BYTES: usize = 256 << 20;

/// The same for the host build, which takes a second for some megabytes.
const HOST_DATA_BYTES: usize = 1 << 20;

/// Alignment of a page.
const ALIGNMENT: usize = 16;

/// Bytes that decoders may read or write behind the last page.
const PADDING: usize = 32;

/// The formats that the kernels decode, in one container each.
const FORMATS: [Format; 4] = [Format::Lz4Raw, Format::Snappy, Format::Deflate, Format::Zstd];

/// One format on one kind of data.
#[derive(Clone, Debug, Serialize)]
pub struct FormatFigures {
    /// The format's name.
    pub format: &'static str,
    /// Name of the compressed data.
    pub data: &'static str,
    /// Compression ratio.
    pub ratio: f64,
    /// Our kernels: decompressed GB/s.
    pub ours: f64,
    /// Our kernels: milliseconds of one page of 1 MiB alone, which is the work of one warp.
    pub alone_ms: f64,
    /// The faster of ours and nvCOMP's on this batch, with nvCOMP allowed all formats; `None` where
    /// it is not installed.
    pub with_nvcomp: Option<f64>,
    /// nvCOMP's version.
    pub nvcomp_version: Option<u32>,
}

/// Measures all formats on all data.
pub fn measure(gpu: &Gpu, runs: usize) -> Result<Vec<FormatFigures>, Error> {
    let bytes = if gpu.properties().is_host { HOST_DATA_BYTES } else { DATA_BYTES };
    let mut all = Vec::new();
    for (data, plain) in [("columns", columns(bytes)?), ("text", text(bytes))] {
        for format in FORMATS {
            let packed = Packed::new(format, &plain, PAGE_BYTES)?;
            let from = plain.len() / 2;
            let page = plain.slice(from..plain.len().min(from + LONG_PAGE_BYTES));
            let (rate, _) =
                Packed::new(format, &page, LONG_PAGE_BYTES)?.measure(gpu, NvcompUse::Never, runs)?;
            let (ours, _) = packed.measure(gpu, NvcompUse::Never, runs)?;
            let (with_nvcomp, nvcomp_version) = packed.measure(gpu, NvcompUse::Trusted, runs)?;
            let name = format.codec().map_or("none", codec::Format::name);
            all.push(FormatFigures {
                format: name,
                data,
                ratio: plain.len() as f64 / packed.bytes.len().max(1) as f64,
                ours,
                alone_ms: page.len() as f64 / rate / 1e6,
                with_nvcomp: nvcomp_version.map(|_| with_nvcomp),
                nvcomp_version,
            });
        }
    }
    Ok(all)
}

/// Returns values of lineitem's columns, column after column of each batch, as Arrow has them in
/// memory.
fn columns(bytes: usize) -> Result<Bytes, Error> {
    let mut data = Vec::with_capacity(bytes);
    // a scale factor of 1 has some 1.5 GB of values
    generate_part(Table::Lineitem, 1.0, 0, Table::Lineitem.row_groups(1.0), &mut |batch| {
        for column in batch.columns() {
            let values = column.to_data();
            values.buffers().iter().for_each(|buffer| data.extend_from_slice(buffer));
        }
        Ok(())
    })?;
    repeated(data, bytes)
}

/// Returns rows of lineitem as the specification's text files have them.
fn text(bytes: usize) -> Bytes {
    let mut data = String::with_capacity(bytes + 256);
    for row in LineItemGenerator::new(1.0, 1, 1).iter() {
        if data.len() >= bytes {
            break;
        }
        data += &format!("{row}\n");
    }
    Bytes::from(data.into_bytes()).slice(..bytes)
}

/// Returns `bytes` bytes; a part of one row group is smaller, and is repeated.
fn repeated(data: Vec<u8>, bytes: usize) -> Result<Bytes, Error> {
    if data.is_empty() {
        return Err(Error::Argument("lineitem has no rows".into()));
    }
    Ok(data.iter().copied().cycle().take(bytes).collect::<Vec<u8>>().into())
}

/// Compressed pages, one behind the other, each at a multiple of [`ALIGNMENT`].
struct Packed {
    format: Format,
    bytes: Vec<u8>,
    /// Offset and length of each page compressed, and its length decompressed.
    pages: Vec<(usize, usize, usize)>,
    page_bytes: usize,
    plain: Bytes,
}

impl Packed {
    fn new(format: Format, plain: &Bytes, page_bytes: usize) -> Result<Packed, Error> {
        let failed = |reason: String| Error::Codec { name: format!("{format:?}"), reason };
        let codec = format.codec().ok_or_else(|| failed("it is no codec's".into()))?;
        let (mut encoder, mut bytes, mut pages) = (Encoder::new(), Vec::new(), Vec::new());
        let mut output = vec![0; compress_bound(codec, page_bytes)];
        for page in plain.chunks(page_bytes) {
            let len = encoder
                .compress(codec, codec.default_level(), page, &mut output)
                .map_err(|error| failed(error.to_string()))?
                .produced;
            pages.push((bytes.len(), len, page.len()));
            bytes.extend_from_slice(&output[..len]);
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
        }
        bytes.resize(bytes.len() + PADDING, 0);
        Ok(Packed { format, bytes, pages, page_bytes, plain: plain.clone() })
    }

    /// Returns the decompressed bytes in 10⁹ a second, the median of `runs`, and nvCOMP's version
    /// if it was allowed and is installed. The first run compiles and chooses the faster way; it is
    /// checked byte by byte, and not counted.
    fn measure(&self, gpu: &Gpu, nvcomp: NvcompUse, runs: usize) -> Result<(f64, Option<u32>), Error> {
        let stream = gpu.stream("decompression").map_err(device_failed)?;
        let (source, target) = (
            gpu.allocate(self.bytes.len()).map_err(device_failed)?,
            gpu.allocate(self.plain.len() + PADDING).map_err(device_failed)?,
        );
        stream.upload(&source, 0, Bytes::copy_from_slice(&self.bytes)).map_err(device_failed)?;
        stream.fill(&target, 0..target.len(), 0).map_err(device_failed)?;
        let decompressor = Decompressor::with_nvcomp(gpu, nvcomp).map_err(device_failed)?;
        let tasks = self.tasks(&source, &target);
        self.once(&decompressor, &stream, &tasks)?;
        if stream.download(&target, 0..self.plain.len()).map_err(device_failed)? != self.plain {
            return Err(self.failed("other bytes came out than went in".into()));
        }
        let mut seconds = Vec::with_capacity(runs);
        for _ in 0..runs {
            let started = Instant::now();
            self.once(&decompressor, &stream, &tasks)?;
            seconds.push(started.elapsed().as_secs_f64());
        }
        Ok((self.plain.len() as f64 / median(&seconds) / 1e9, decompressor.nvcomp_version()))
    }

    fn once(&self, decompressor: &Decompressor, stream: &Stream, tasks: &[PageTask]) -> Result<(), Error> {
        let statuses = decompressor.run(stream, tasks).map_err(device_failed)?;
        let faults = statuses.check(stream).map_err(device_failed)?;
        faults.map_err(|fault| self.failed(format!("page {}: code {}", fault.index, fault.code)))
    }

    /// Pages are whole multiples of the alignment, but for the last.
    fn tasks(&self, source: &Buffer, target: &Buffer) -> Vec<PageTask> {
        let task = |(index, &(offset, len, plain)): (usize, &(usize, usize, usize))| PageTask {
            format: self.format,
            source: source.address() + offset as u64,
            source_len: len as u32,
            target: target.address() + (index * self.page_bytes) as u64,
            target_len: plain as u32,
        };
        self.pages.iter().enumerate().map(task).collect()
    }

    fn failed(&self, reason: String) -> Error {
        Error::Codec { name: format!("{:?} on the GPU", self.format), reason }
    }
}
