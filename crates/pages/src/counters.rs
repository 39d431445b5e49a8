//! Counters of a scan, for `EXPLAIN ANALYZE` and progress bars.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use pelton_codec::Format;
use pelton_job::JobOutput;

use crate::decompression::{self, ByDevice, Devices};
use crate::file::traffic::Traffic;
use crate::recorder::{Recorder, Tape, Work};
use crate::undecided::{Reasons, Undecided};

/// Counters of one scan, shared by its partitions.
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
    requests: AtomicU64,
    store_bytes: AtomicU64,
    first_byte_nanos: AtomicU64,
    footers_read: AtomicU64,
    footers_cached: AtomicU64,
    files_pruned: AtomicU64,
    tape: Option<Tape>,
}

/// Values of the counters at one moment.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ScanTotals {
    /// Bytes requested from the store.
    pub bytes_read: u64,
    /// Time of waiting for the store, summed over requests.
    pub read_time: Duration,
    /// Time in decoders, with the wait for pages, summed over partitions.
    pub decode_time: Duration,
    /// Time in filters, summed over partitions.
    pub filter_time: Duration,
    /// Pages that were read.
    pub pages_read: u64,
    /// Pages of needed columns without a selected row: not decompressed, and not read if there is
    /// an offset index.
    pub pages_skipped: u64,
    /// Pages that came from a cache instead of the store.
    pub pages_cached: u64,
    /// Bytes read into pinned memory, from which a GPU copies at full speed, with the gaps between
    /// requests.
    pub bytes_pinned: u64,
    /// Row groups that were read, in part or in full.
    pub row_groups_read: u64,
    /// Row groups ruled out by statistics or bloom filters.
    pub row_groups_pruned: u64,
    /// Rows that reached a filter, or the output where there is none.
    pub rows_decoded: u64,
    /// Rows that passed.
    pub rows_selected: u64,
    /// Pages to which a dictionary filter was applied, once for each condition.
    pub encoded_pages: u64,
    /// Rows of these pages that were undecided before.
    pub encoded_rows: u64,
    /// Values that row compaction took from their encoded pages, so that the other values were not
    /// decoded.
    pub values_cut_out: u64,
    /// Values from native decoders, with nulls.
    pub values_direct: u64,
    /// Counts of conditions that were evaluated on decoded rows, at least in part of a scan range,
    /// by reason.
    pub undecided: BTreeMap<Undecided, u64>,
    /// Ordinary decompression, by format and device.
    pub decompression: ByDevice,
    /// Pages that went through fused decompress and filter on a device, by format and device. The
    /// output is a bit for each dictionary index. `decompression` does not include them.
    pub looked_up: ByDevice,
    /// Pages that were decompressed after their membership test failed.
    pub not_looked_up: u64,
    /// Requests to object stores, and bytes of files in the answers.
    pub traffic: Traffic,
    /// Work on footers before the scan.
    pub footers: FooterTotals,
}

/// Files of a table, and where their footers came from.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct FooterTotals {
    /// Footers that were read from their files.
    pub read: u64,
    /// Footers from the cache: their files are unchanged.
    pub cached: u64,
    /// Files ruled out by their paths, whose footers were not needed.
    pub pruned: u64,
}

impl ScanTotals {
    /// Returns the bytes from decompression, for all formats and devices.
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
        self.traffic.add(other.traffic);
        self.footers.read += other.footers.read;
        self.footers.cached += other.footers.cached;
        self.footers.pruned += other.footers.pruned;
    }
}

fn add_time(counter: &AtomicU64, time: Duration) {
    counter.fetch_add(time.as_nanos() as u64, Relaxed);
}

impl ScanCounters {
    /// Creates counters that also record the scan's work on this table over time.
    pub fn recording(recorder: Arc<Recorder>, table: &str) -> Self {
        Self { tape: Some(Tape { recorder, table: table.into() }), ..Self::default() }
    }

    /// Adds a read of `bytes` of a row group that took `time`.
    pub fn read(&self, row_group: usize, bytes: u64, time: Duration) {
        if let Some(tape) = &self.tape {
            tape.add(Work::Read, None, Some(row_group), bytes, time);
        }
        self.bytes_read.fetch_add(bytes, Relaxed);
        add_time(&self.read_nanos, time);
    }

    /// Adds requests to object stores.
    pub fn traffic(&self, traffic: Traffic) {
        self.requests.fetch_add(traffic.requests, Relaxed);
        self.store_bytes.fetch_add(traffic.bytes, Relaxed);
        add_time(&self.first_byte_nanos, traffic.first_byte);
    }

    /// Adds the footers of the scan's table.
    pub fn footers(&self, footers: FooterTotals) {
        self.footers_read.fetch_add(footers.read, Relaxed);
        self.footers_cached.fetch_add(footers.cached, Relaxed);
        self.files_pruned.fetch_add(footers.pruned, Relaxed);
    }

    /// Adds pages that were read, and pages without a selected row.
    pub fn pages(&self, read: usize, skipped: usize) {
        self.pages_read.fetch_add(read as u64, Relaxed);
        self.pages_skipped.fetch_add(skipped as u64, Relaxed);
    }

    /// Adds bytes that are read into pinned memory.
    pub fn pinned(&self, bytes: usize) {
        self.bytes_pinned.fetch_add(bytes as u64, Relaxed);
    }

    /// Adds pages from a cache, and cached pages that were not needed.
    pub fn cached(&self, used: usize, skipped: usize) {
        self.pages_cached.fetch_add(used as u64, Relaxed);
        self.pages_skipped.fetch_add(skipped as u64, Relaxed);
    }

    /// Adds row groups to be read, and row groups that were ruled out.
    pub fn row_groups(&self, read: usize, pruned: usize) {
        self.row_groups_read.fetch_add(read as u64, Relaxed);
        self.row_groups_pruned.fetch_add(pruned as u64, Relaxed);
    }

    /// Adds a decompressed page.
    pub fn decompressed(&self, row_group: Option<usize>, format: Format, done: &JobOutput) {
        self.note(&self.decompression, row_group, format, done);
    }

    /// Adds a page that went through fused decompress and filter.
    pub fn looked_up(&self, row_group: Option<usize>, format: Format, done: &JobOutput) {
        self.note(&self.looked_up, row_group, format, done);
    }

    /// Adds a page after the failure of its membership test.
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

    /// Adds time in decoders.
    pub fn decoded(&self, row_group: usize, time: Duration) {
        if let Some(tape) = &self.tape {
            tape.add(Work::Decode, None, Some(row_group), 0, time);
        }
        add_time(&self.decode_nanos, time);
    }

    /// Adds time in filters.
    pub fn filtered(&self, row_group: usize, time: Duration) {
        if let Some(tape) = &self.tape {
            tape.add(Work::Filter, None, Some(row_group), 0, time);
        }
        add_time(&self.filter_nanos, time);
    }

    /// Adds rows that reached the filters, and rows that passed.
    pub fn rows(&self, decoded: usize, selected: usize) {
        self.rows_decoded.fetch_add(decoded as u64, Relaxed);
        self.rows_selected.fetch_add(selected as u64, Relaxed);
    }

    /// Adds pages to which a dictionary filter was applied, and the rows in them that were
    /// undecided before.
    pub fn encoded(&self, pages: usize, rows: usize) {
        self.encoded_pages.fetch_add(pages as u64, Relaxed);
        self.encoded_rows.fetch_add(rows as u64, Relaxed);
    }

    /// Adds values from row compaction.
    pub fn cut_out(&self, values: usize) {
        self.values_cut_out.fetch_add(values as u64, Relaxed);
    }

    /// Adds values from native decoders. `are_cut_out` says that they went through row compaction.
    pub fn direct(&self, values: usize, are_cut_out: bool) {
        self.values_direct.fetch_add(values as u64, Relaxed);
        if are_cut_out {
            self.cut_out(values);
        }
    }

    /// Adds a condition that was evaluated on decoded rows.
    pub fn undecided(&self, reason: Undecided) {
        self.undecided.note(reason);
    }

    /// Returns the current values.
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
            traffic: Traffic {
                requests: self.requests.load(Relaxed),
                bytes: self.store_bytes.load(Relaxed),
                first_byte: time(&self.first_byte_nanos),
            },
            footers: FooterTotals {
                read: self.footers_read.load(Relaxed),
                cached: self.footers_cached.load(Relaxed),
                pruned: self.files_pruned.load(Relaxed),
            },
        }
    }
}
