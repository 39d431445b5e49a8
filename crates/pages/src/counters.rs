//! What a scan did, counted as it goes: shown by EXPLAIN ANALYZE and by progress bars.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use pelton_codec::Format;
use pelton_job::JobOutput;

use crate::decompression::{self, ByDevice, Devices};
use crate::recorder::{Recorder, Tape, Work};
use crate::undecided::{Reasons, Undecided};

/// Counters of one scan, shared by all its partitions.
#[derive(Debug, Default)]
pub struct ScanCounters {
    bytes_read: AtomicU64,
    bytes_pinned: AtomicU64,
    read_nanos: AtomicU64,
    decode_nanos: AtomicU64,
    filter_nanos: AtomicU64,
    pages_read: AtomicU64,
    pages_skipped: AtomicU64,
    pages_cached: AtomicU64,
    row_groups_read: AtomicU64,
    row_groups_pruned: AtomicU64,
    rows_decoded: AtomicU64,
    rows_selected: AtomicU64,
    encoded_pages: AtomicU64,
    encoded_rows: AtomicU64,
    values_cut_out: AtomicU64,
    values_direct: AtomicU64,
    undecided: Reasons,
    decompression: Devices,
    looked_up: Devices,
    not_looked_up: AtomicU64,
    tape: Option<Tape>,
}

/// The counters' values at one moment.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ScanTotals {
    /// Bytes asked of the store.
    pub bytes_read: u64,
    /// Time waiting for the store, summed over requests.
    pub read_time: Duration,
    /// Time in the decoders, waiting for pages included, summed over partitions.
    pub decode_time: Duration,
    /// Time in filters, summed over partitions.
    pub filter_time: Duration,
    /// Pages that were read.
    pub pages_read: u64,
    /// Pages of needed columns that no needed row lies in: not decompressed, and with an offset
    /// index not read.
    pub pages_skipped: u64,
    /// Pages that a cache had, so that they were not read.
    pub pages_cached: u64,
    /// Bytes that were asked for, with what lies between them, in memory that a GPU copies from at
    /// full speed.
    pub bytes_pinned: u64,
    /// Row groups that were read, in part or whole.
    pub row_groups_read: u64,
    /// Row groups ruled out by statistics or bloom filters.
    pub row_groups_pruned: u64,
    /// Rows that reached a filter, or the output where there is none.
    pub rows_decoded: u64,
    /// Rows that passed.
    pub rows_selected: u64,
    /// Pages on which a condition was decided on encoded data: for each condition anew.
    pub encoded_pages: u64,
    /// Rows of these pages that were still to be decided.
    pub encoded_rows: u64,
    /// Values that were cut out of their encoded pages, so that others in them were not decoded.
    pub values_cut_out: u64,
    /// Values that were decoded here, and not by parquet-rs, nulls among them.
    pub values_direct: u64,
    /// How often a condition was not decided on a window's encoded data, in part or whole, by
    /// reason.
    pub undecided: BTreeMap<Undecided, u64>,
    /// By format and device.
    pub decompression: ByDevice,
    /// Pages of codes that a device looked up while it decompressed them, by format and device:
    /// what came out is a bit for each code. They are not among `decompression`.
    pub looked_up: ByDevice,
    /// Pages that were to be looked up and had to be decompressed after all, as that failed.
    pub not_looked_up: u64,
}

impl ScanTotals {
    /// Bytes that came out of decompression, all formats and devices.
    pub fn bytes_decompressed(&self) -> u64 {
        self.decompression.values().map(|entry| entry.bytes_out).sum()
    }

    /// Adds another scan's totals.
    pub fn add(&mut self, other: &Self) {
        self.bytes_read += other.bytes_read;
        self.read_time += other.read_time;
        self.decode_time += other.decode_time;
        self.filter_time += other.filter_time;
        self.pages_read += other.pages_read;
        self.pages_skipped += other.pages_skipped;
        self.pages_cached += other.pages_cached;
        self.bytes_pinned += other.bytes_pinned;
        self.row_groups_read += other.row_groups_read;
        self.row_groups_pruned += other.row_groups_pruned;
        self.rows_decoded += other.rows_decoded;
        self.rows_selected += other.rows_selected;
        self.encoded_pages += other.encoded_pages;
        self.encoded_rows += other.encoded_rows;
        self.values_cut_out += other.values_cut_out;
        self.values_direct += other.values_direct;
        for (reason, count) in &other.undecided {
            *self.undecided.entry(*reason).or_default() += count;
        }
        decompression::add(&mut self.decompression, &other.decompression);
        decompression::add(&mut self.looked_up, &other.looked_up);
        self.not_looked_up += other.not_looked_up;
    }
}

fn add_time(counter: &AtomicU64, time: Duration) {
    counter.fetch_add(time.as_nanos() as u64, Relaxed);
}

impl ScanCounters {
    /// Counters that also keep what is done when, as work on this table.
    pub fn recording(recorder: Arc<Recorder>, table: &str) -> Self {
        Self { tape: Some(Tape { recorder, table: table.into() }), ..Self::default() }
    }

    /// Notes a read of `bytes` of a row group that took `time`.
    pub fn read(&self, row_group: usize, bytes: u64, time: Duration) {
        if let Some(tape) = &self.tape {
            tape.add(Work::Read, None, Some(row_group), bytes, time);
        }
        self.bytes_read.fetch_add(bytes, Relaxed);
        add_time(&self.read_nanos, time);
    }

    /// Notes pages read, and pages that needn't be.
    pub fn pages(&self, read: usize, skipped: usize) {
        self.pages_read.fetch_add(read as u64, Relaxed);
        self.pages_skipped.fetch_add(skipped as u64, Relaxed);
    }

    /// Notes bytes that are read into pinned memory.
    pub fn pinned(&self, bytes: usize) {
        self.bytes_pinned.fetch_add(bytes as u64, Relaxed);
    }

    /// Notes pages that came from a cache, and pages of it that weren't needed.
    pub fn cached(&self, used: usize, skipped: usize) {
        self.pages_cached.fetch_add(used as u64, Relaxed);
        self.pages_skipped.fetch_add(skipped as u64, Relaxed);
    }

    /// Notes row groups that will be read, and that are ruled out.
    pub fn row_groups(&self, read: usize, pruned: usize) {
        self.row_groups_read.fetch_add(read as u64, Relaxed);
        self.row_groups_pruned.fetch_add(pruned as u64, Relaxed);
    }

    /// Notes one decompressed page.
    pub fn decompressed(&self, row_group: Option<usize>, format: Format, done: &JobOutput) {
        self.note(&self.decompression, row_group, format, done);
    }

    /// Notes one page whose codes were looked up while they were decompressed.
    pub fn looked_up(&self, row_group: Option<usize>, format: Format, done: &JobOutput) {
        self.note(&self.looked_up, row_group, format, done);
    }

    /// Notes a page for which that failed.
    pub fn not_looked_up(&self) {
        self.not_looked_up.fetch_add(1, Relaxed);
    }

    fn note(&self, devices: &Devices, row_group: Option<usize>, format: Format, done: &JobOutput) {
        if let Some(tape) = &self.tape {
            let bytes = done.output.len() as u64;
            tape.add(Work::Decompress, Some(&done.device), row_group, bytes, done.time);
        }
        devices.note(format, done);
    }

    /// Notes time in decoders.
    pub fn decoded(&self, row_group: usize, time: Duration) {
        if let Some(tape) = &self.tape {
            tape.add(Work::Decode, None, Some(row_group), 0, time);
        }
        add_time(&self.decode_nanos, time);
    }

    /// Notes time in filters.
    pub fn filtered(&self, row_group: usize, time: Duration) {
        if let Some(tape) = &self.tape {
            tape.add(Work::Filter, None, Some(row_group), 0, time);
        }
        add_time(&self.filter_nanos, time);
    }

    /// Notes rows looked at, and rows that passed.
    pub fn rows(&self, decoded: usize, selected: usize) {
        self.rows_decoded.fetch_add(decoded as u64, Relaxed);
        self.rows_selected.fetch_add(selected as u64, Relaxed);
    }

    /// Notes pages on which a condition was decided on encoded data, and their rows that were to be
    /// decided.
    pub fn encoded(&self, pages: usize, rows: usize) {
        self.encoded_pages.fetch_add(pages as u64, Relaxed);
        self.encoded_rows.fetch_add(rows as u64, Relaxed);
    }

    /// Notes values that are decoded without the others in their pages.
    pub fn cut_out(&self, values: usize) {
        self.values_cut_out.fetch_add(values as u64, Relaxed);
    }

    /// Notes values that were decoded here, and not by parquet-rs, and whether they were cut out of
    /// their pages first.
    pub fn direct(&self, values: usize, are_cut_out: bool) {
        self.values_direct.fetch_add(values as u64, Relaxed);
        if are_cut_out {
            self.cut_out(values);
        }
    }

    /// Notes why a condition was not decided on encoded data.
    pub fn undecided(&self, reason: Undecided) {
        self.undecided.note(reason);
    }

    /// The values now.
    pub fn totals(&self) -> ScanTotals {
        let time = |counter: &AtomicU64| Duration::from_nanos(counter.load(Relaxed));
        ScanTotals {
            bytes_read: self.bytes_read.load(Relaxed),
            read_time: time(&self.read_nanos),
            decode_time: time(&self.decode_nanos),
            filter_time: time(&self.filter_nanos),
            pages_read: self.pages_read.load(Relaxed),
            pages_skipped: self.pages_skipped.load(Relaxed),
            pages_cached: self.pages_cached.load(Relaxed),
            bytes_pinned: self.bytes_pinned.load(Relaxed),
            row_groups_read: self.row_groups_read.load(Relaxed),
            row_groups_pruned: self.row_groups_pruned.load(Relaxed),
            rows_decoded: self.rows_decoded.load(Relaxed),
            rows_selected: self.rows_selected.load(Relaxed),
            encoded_pages: self.encoded_pages.load(Relaxed),
            encoded_rows: self.encoded_rows.load(Relaxed),
            values_cut_out: self.values_cut_out.load(Relaxed),
            values_direct: self.values_direct.load(Relaxed),
            undecided: self.undecided.totals(),
            decompression: self.decompression.totals(),
            looked_up: self.looked_up.totals(),
            not_looked_up: self.not_looked_up.load(Relaxed),
        }
    }
}
