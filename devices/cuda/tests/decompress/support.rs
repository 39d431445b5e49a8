//! Pages with an allocation of their own each, so that the sanitizers see an access beyond any of
//! them.

use std::sync::OnceLock;

use bytes::Bytes;
use pelton_codec::{Decoder, Encoder, Level, compress_bound};
use pelton_device_cuda::{
    Buffer, Decompressor, Format, Gpu, HostOptions, Order, PageOutcome, PageTask, Stream, code_text,
    sanitizer, under_test,
};

/// A GPU that decompresses in tests: sanitized in a process that has the sanitizers.
pub struct Device {
    gpu: Gpu,
    stream: Stream,
    decompressor: Decompressor,
}

pub fn device() -> &'static Device {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    DEVICE.get_or_init(|| Device::new(None))
}

/// A page, with the number of bytes that it must give.
#[derive(Clone, Debug)]
pub struct Case {
    pub format: Format,
    pub packed: Vec<u8>,
    pub room: usize,
}

/// Result of a page, with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub outcome: PageOutcome,
    pub plain: Vec<u8>,
}

impl Found {
    /// Returns whether it gave bytes, though perhaps fewer than asked for.
    pub fn is_sound(&self) -> bool {
        const TOO_SHORT: u32 = 7;
        matches!(self.outcome.code, 0 | TOO_SHORT)
    }
}

impl Device {
    pub fn new(order: Option<Order>) -> Device {
        let sanitize = sanitizer::is_loaded();
        let gpu = under_test::gpu(HostOptions { sanitize, order, ..HostOptions::default() });
        let stream = gpu.stream("test").unwrap();
        let decompressor = Decompressor::new(&gpu).unwrap();
        Device { gpu, stream, decompressor }
    }

    fn place(&self, bytes: usize, data: &[u8]) -> Buffer {
        let buffer = self.gpu.allocate(bytes).unwrap();
        self.stream.fill(&buffer, 0..bytes, 0xC5).unwrap();
        self.stream.upload(&buffer, 0, Bytes::copy_from_slice(data)).unwrap();
        buffer
    }

    /// Decompresses a batch.
    pub fn run(&self, cases: &[Case]) -> Vec<Found> {
        let buffers: Vec<(Buffer, Buffer)> = cases
            .iter()
            .map(|case| (self.place(case.packed.len(), &case.packed), self.place(case.room, &[])))
            .collect();
        let tasks: Vec<PageTask> = cases
            .iter()
            .zip(&buffers)
            .map(|(case, (source, target))| PageTask {
                format: case.format,
                source: source.address(),
                source_len: case.packed.len() as u32,
                target: target.address(),
                target_len: case.room as u32,
            })
            .collect();
        let statuses = self.decompressor.run(&self.stream, &tasks).unwrap();
        let outcomes = statuses.outcomes(&self.stream).unwrap();
        let fault = statuses.check(&self.stream).unwrap();
        match fault {
            Ok(()) => assert!(outcomes.iter().all(|outcome| outcome.code == 0)),
            Err(fault) => assert_eq!(outcomes[fault.index].code, fault.code),
        }
        let found = outcomes.into_iter().zip(&buffers).map(|(outcome, (_, target))| {
            assert!(outcome.code == 0 || code_text(outcome.code).is_some(), "{outcome:?}");
            let plain = self.stream.download(target, 0..outcome.produced as usize).unwrap();
            Found { outcome, plain }
        });
        found.collect()
    }
}

/// Decodes a page with `pelton-codec`: its bytes, and the number of bytes that it used.
pub fn expected(case: &Case) -> Result<(Vec<u8>, usize), pelton_codec::Error> {
    let mut plain = vec![0; case.room];
    let Some(format) = case.format.codec() else {
        plain.truncate(case.packed.len());
        plain.copy_from_slice(&case.packed);
        return Ok((plain, case.packed.len()));
    };
    let done = Decoder::new().decompress(format, &case.packed, &mut plain)?;
    plain.truncate(done.produced);
    Ok((plain, done.consumed))
}

/// Returns all levels of a format; one `None` if it has none.
pub fn levels(format: Format) -> Vec<Option<Level>> {
    let Some(codec) = format.codec() else { return vec![None] };
    match codec.levels() {
        None => vec![None],
        Some(levels) => levels.map(|level| Level::new(codec, level).ok()).collect(),
    }
}

pub fn pack(format: Format, level: Option<Level>, plain: &[u8]) -> Vec<u8> {
    let Some(codec) = format.codec() else { return plain.to_vec() };
    let mut packed = vec![0; compress_bound(codec, plain.len())];
    let level = level.unwrap_or(codec.default_level());
    let done = Encoder::new().compress(codec, level, plain, &mut packed).unwrap();
    packed.truncate(done.produced);
    packed
}

/// Runs sound cases, with known uncompressed bytes.
#[track_caller]
pub fn assert_all_right(cases: &[Case], plain: &[Vec<u8>]) {
    for ((found, case), plain) in device().run(cases).into_iter().zip(cases).zip(plain) {
        let place = found.plain.iter().zip(plain).position(|(a, b)| a != b);
        let what = (case.format, plain.len(), case.packed.len(), found.outcome, place);
        assert!(found.outcome.code == 0 && found.plain == *plain, "{what:?}");
        assert_eq!(found.outcome.consumed as usize, case.packed.len(), "{what:?}");
    }
}
