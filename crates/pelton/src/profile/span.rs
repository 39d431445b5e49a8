//! One piece of work.

use std::time::Duration;

use pelton_pages::{Work, WorkSpan, Worker};

/// Kind of work in a span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Waiting for bytes of files.
    Read,
    /// Bytes between host and device, or within the device.
    Copy,
    /// Decompression of pages.
    Decompress,
    /// In decoders of the CPU, with the time that they wait for pages.
    Decode,
    /// In conditions of a scan.
    Filter,
    /// A kernel of a GPU that does not decompress.
    Kernel,
    /// Work of the host around a GPU's.
    Host,
}

impl Kind {
    /// All of them, in the order in which data meets them.
    pub const ALL: [Kind; 7] =
        [Kind::Read, Kind::Copy, Kind::Decompress, Kind::Decode, Kind::Filter, Kind::Kernel, Kind::Host];

    /// Returns its name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Read => "read",
            Kind::Copy => "copy",
            Kind::Decompress => "decompress",
            Kind::Decode => "decode",
            Kind::Filter => "filter",
            Kind::Kernel => "kernel",
            Kind::Host => "host",
        }
    }
}

/// One piece of work, in time since the query began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Name of the stream, device or thread that did the work.
    pub lane: String,
    /// Kind of the work.
    pub kind: Kind,
    /// Label on the page.
    pub label: String,
    /// Bytes read, moved or produced; 0 if they are not counted.
    pub bytes: u64,
    /// When it began.
    pub start: Duration,
    /// When it was done.
    pub end: Duration,
}

impl From<WorkSpan> for Span {
    fn from(span: WorkSpan) -> Span {
        let kind = match span.work {
            Work::Read => Kind::Read,
            Work::Decompress => Kind::Decompress,
            Work::Decode => Kind::Decode,
            Work::Filter => Kind::Filter,
        };
        let lane = match span.worker {
            Worker::Store => "files".to_owned(),
            Worker::Device(name) => format!("{name}, decompression"),
            Worker::Thread(number) => format!("thread {}", number + 1),
        };
        let label = match span.row_group {
            Some(row_group) => format!("{}, row group {row_group}", span.table),
            None => span.table.as_ref().to_owned(),
        };
        Span { lane, kind, label, bytes: span.bytes, start: span.start, end: span.end }
    }
}

impl From<pelton_device_cuda::Span> for Span {
    fn from(span: pelton_device_cuda::Span) -> Span {
        use pelton_device_cuda::SpanKind;
        let kind = match span.kind {
            SpanKind::Copy => Kind::Copy,
            SpanKind::Decompress => Kind::Decompress,
            SpanKind::Kernel => Kind::Kernel,
            SpanKind::Host => Kind::Host,
        };
        let lane = format!("GPU, {}", span.stream);
        Span { lane, kind, label: span.label, bytes: span.bytes, start: span.start, end: span.end }
    }
}
