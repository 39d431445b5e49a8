//! A scan range's columns, copied out by a kernel.
#![allow(unsafe_code)]

use std::sync::{Arc, OnceLock};

use pelton_device_cuda::{
    Gpu, HostOptions, Kernel, Label, Pod, Source, SpanKind, Stream, bytes_of, from_bytes, sanitizer,
    under_test,
};
use pelton_gpu::window::{
    DeviceWindow, Error, Flattener, PageDecoder, RawColumn, RawWindow, can_be_flat, page_headers,
};

/// Form in which a column is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Bool,
    I64,
    I128,
    F32,
    F64,
    Bytes,
}

/// A row's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// The row was not wanted.
    Unwanted,
    Null,
    /// The bits, with a sign where the type has one.
    Bits(i128),
    Bytes(Vec<u8>),
}

#[repr(C)]
#[derive(Clone, Copy)]
struct CopyParams {
    columns: u64,
    tiles: u64,
    state: u64,
    low: u64,
    high: u64,
    bytes: u64,
    coded: u64,
    different: u64,
    stride: u32,
    tile_count: u32,
    column: u32,
    kind: u32,
}

// SAFETY: addresses, then an even number of u32.
unsafe impl Pod for CopyParams {}

/// A GPU with the kernels of this test.
pub struct Bench {
    pub gpu: Gpu,
    pub decoder: PageDecoder,
    flattener: Flattener,
    pub copy: Stream,
    pub compute: Stream,
    kernel: Kernel,
}

/// Values that a kernel read from a column.
pub struct Found {
    /// Values by row of the row group.
    pub values: Vec<Value>,
    /// Rows with a dictionary index.
    pub coded: u32,
}

impl Bench {
    fn new() -> Self {
        let options = HostOptions { sanitize: sanitizer::is_loaded(), ..HostOptions::default() };
        let gpu = under_test::gpu(options);
        let source = Source {
            name: "copy_out.cu".to_owned(),
            text: include_str!("copy_out.cu").to_owned(),
            headers: page_headers().to_vec(),
        };
        let kernel = gpu.compile(&source).and_then(|module| module.kernel("copy_out")).expect("it compiles");
        let decoder = PageDecoder::new(&gpu).expect("the kernels compile");
        let flattener = Flattener::new(&gpu).expect("the kernel compiles");
        let (copy, compute) =
            (gpu.stream("copy").expect("a stream"), gpu.stream("compute").expect("a stream"));
        Self { gpu, decoder, flattener, copy, compute, kernel }
    }

    /// Returns the GPU of this process.
    pub fn shared() -> &'static Arc<Self> {
        static SHARED: OnceLock<Arc<Bench>> = OnceLock::new();
        SHARED.get_or_init(|| Arc::new(Bench::new()))
    }

    pub fn stage(&self, raw: &RawWindow) -> Result<DeviceWindow, Error> {
        self.decoder.stage(&self.copy, &self.compute, raw)
    }

    /// Stages the same columns, decoded where they can be: read by a scan range over the rows that
    /// `raw` wants of a row group with all its pages in `whole`.
    pub fn stage_flat(&self, raw: &RawWindow, whole: RawWindow) -> Result<DeviceWindow, Error> {
        let columns = whole.clone().into_columns();
        let flat =
            |index: &usize| matches!(&columns[*index], RawColumn::Pages(chunk, of) if can_be_flat(chunk, of));
        let (flat, other): (Vec<usize>, Vec<usize>) = (0..columns.len()).partition(flat);
        let window = self.stage(&whole.clone().select(&flat))?;
        window.check(&self.compute)?;
        let decoded = self.flattener.flatten(&self.compute, &window, |_| Ok::<_, Error>(()))?;
        let window = self.stage(&whole.select(&other))?;
        window.check(&self.compute)?;
        let mut staged: Vec<_> =
            flat.into_iter().zip(decoded).chain(other.into_iter().zip(window.into_columns())).collect();
        staged.sort_by_key(|(index, _)| *index);
        let mut cached = RawWindow::new(raw.wanted().clone());
        for (index, column) in staged {
            cached.insert(index, RawColumn::Staged(column));
        }
        self.stage(&cached)
    }

    /// Reads a column of a row group of `rows` rows. Values have at most `longest` bytes.
    pub fn column(
        &self,
        window: &DeviceWindow,
        column: u32,
        kind: Kind,
        rows: usize,
        longest: usize,
    ) -> Found {
        let stride = longest.max(1);
        let buffer = |bytes: usize| {
            let buffer = self.gpu.allocate(bytes.max(1)).expect("memory");
            self.compute.fill(&buffer, 0..buffer.len(), 0).expect("it is there");
            buffer
        };
        let (state, low, high) = (buffer(rows), buffer(rows * 8), buffer(rows * 8));
        let (bytes, counts) = (buffer(rows * stride), buffer(8));
        let params = CopyParams {
            columns: window.columns.address(),
            tiles: window.tiles.address(),
            state: state.address(),
            low: low.address(),
            high: high.address(),
            bytes: bytes.address(),
            coded: counts.address(),
            different: counts.address() + 4,
            stride: stride as u32,
            tile_count: window.tile_count,
            column,
            kind: kind as u32,
        };
        let label = Label { kind: SpanKind::Kernel, text: "copy_out".to_owned(), bytes: 0 };
        // SAFETY: each buffer has space for all rows of the row group, and the tiles are a part of
        // them.
        unsafe { self.compute.launch(&self.kernel, 3, 64, bytes_of(&params), label) }.expect("it runs");
        let read = |buffer| self.compute.download(buffer, 0..buffer.len()).expect("it is there");
        let counts: Vec<u32> = from_bytes(&read(&counts)).expect("two numbers");
        assert_eq!(counts[1], 0, "column {column}: the dictionary has other values");
        let (state, bytes) = (read(&state), read(&bytes));
        let (low, high): (Vec<u64>, Vec<u64>) =
            (from_bytes(&read(&low)).expect("numbers"), from_bytes(&read(&high)).expect("numbers"));
        let value = |row: usize| match (state[row], kind) {
            (0, _) => Value::Unwanted,
            (1, _) => Value::Null,
            (_, Kind::I64) => Value::Bits(i128::from(low[row] as i64)),
            (_, Kind::Bytes) => {
                let length = low[row] as usize;
                assert!(length <= longest, "column {column}, row {row}: {length} bytes");
                Value::Bytes(bytes[row * stride..row * stride + length].to_vec())
            }
            _ => Value::Bits((u128::from(high[row]) << 64 | u128::from(low[row])) as i128),
        };
        Found { values: (0..rows).map(value).collect(), coded: counts[0] }
    }
}
