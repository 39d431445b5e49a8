//! `--stats`: bytes and pages of a query's scans, and the time.

use std::time::Duration;

use pelton::{Decompression, ScanTotals};

use crate::failure::note;
use pelton_report::numbers::{bytes, counted, time};

/// Prints it on standard error.
pub fn print(totals: &ScanTotals, rows: u64, took: Duration) {
    for line in lines(totals, rows, took) {
        note(&line);
    }
}

fn lines(totals: &ScanTotals, rows: u64, took: Duration) -> Vec<String> {
    let mut lines = vec![format!("{} in {}", counted(rows, "row"), time(took))];
    lines.push(format!(
        "read {}, waiting {}: {} of {}, {} of {}",
        bytes(totals.bytes_read),
        time(totals.read_time),
        counted(totals.row_groups_read, "row group"),
        totals.row_groups_read + totals.row_groups_pruned,
        counted(totals.pages_read, "page"),
        totals.pages_read + totals.pages_skipped + totals.pages_cached,
    ));
    let footers = totals.footers;
    if footers.pruned > 0 || footers.cached > 0 {
        lines.push(format!(
            "read {}, {} from the cache; {} ruled out by their paths",
            counted(footers.read, "footer"),
            footers.cached,
            counted(footers.pruned, "file"),
        ));
    }
    let traffic = totals.traffic;
    if traffic.requests > 0 {
        let first_byte = traffic.first_byte / traffic.requests.try_into().unwrap_or(u32::MAX);
        lines.push(format!(
            "object stores: {}, {}, first byte after {}",
            counted(traffic.requests, "request"),
            bytes(traffic.bytes),
            time(first_byte),
        ));
    }
    if totals.pages_cached > 0 {
        lines.push(format!("{} came from the cache", counted(totals.pages_cached, "page")));
    }
    if totals.bytes_pinned > 0 {
        lines.push(format!("{} into pinned memory", bytes(totals.bytes_pinned)));
    }
    for ((format, device), done) in &totals.decompression {
        lines.push(format!("decompressed {format} on {device}: {}", on_device(done)));
    }
    for ((format, device), done) in &totals.looked_up {
        lines.push(format!("looked codes up in {format} on {device}: {}", on_device(done)));
    }
    if totals.not_looked_up > 0 {
        lines.push(format!(
            "decompressed after all, for their codes: {}",
            counted(totals.not_looked_up, "page")
        ));
    }
    if totals.encoded_pages > 0 || !totals.undecided.is_empty() {
        let (pages, rows) = (counted(totals.encoded_pages, "page"), counted(totals.encoded_rows, "row"));
        let mut line = format!("conditions decided on encoded data: {pages}, {rows}");
        let reasons = totals.undecided.iter().map(|(reason, count)| format!("{reason} {count}"));
        let reasons: Vec<_> = reasons.collect();
        if totals.values_cut_out > 0 {
            line += &format!("; {} cut out of other pages", counted(totals.values_cut_out, "value"));
        }
        if !reasons.is_empty() {
            line += &format!("; decoded for: {}", reasons.join(", "));
        }
        lines.push(line);
    }
    let decoded = format!("decoded {} in {}", counted(totals.rows_decoded, "row"), time(totals.decode_time));
    lines.push(match totals.filter_time.is_zero() {
        true => decoded,
        false => {
            let left = counted(totals.rows_selected, "row");
            format!("{decoded}, filtered to {left} in {}", time(totals.filter_time))
        }
    });
    lines
}

/// Describes the work of one device on the pages of one format.
fn on_device(done: &Decompression) -> String {
    let together = match done.interleaved {
        0 => String::new(),
        pages => format!(" ({pages} side by side)"),
    };
    let (from, to, pages) = (bytes(done.bytes_in), bytes(done.bytes_out), counted(done.pages, "page"));
    format!("{from} to {to}, {pages}{together}, {} of its threads", time(done.time))
}

#[cfg(test)]
mod tests;
