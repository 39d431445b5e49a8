//! Lanes of a profile: rows of spans that don't overlap.

use std::collections::BTreeMap;
use std::time::Duration;

use super::span::Span;

/// The spans of one worker.
#[derive(Debug)]
pub(super) struct Lane<'a> {
    pub name: &'a str,
    /// Number of rows that its spans take.
    pub rows: usize,
    /// The spans with their rows, ordered by their beginning.
    pub spans: Vec<(usize, &'a Span)>,
}

/// Returns the lanes, ordered by their names; numbers in names are ordered by value.
pub(super) fn lanes(spans: &[Span]) -> Vec<Lane<'_>> {
    let mut by_name: BTreeMap<(String, &str), Vec<&Span>> = BTreeMap::new();
    for span in spans {
        by_name.entry((sorted_as(&span.lane), &span.lane)).or_default().push(span);
    }
    by_name.into_iter().map(|((_, name), spans)| lane(name, spans)).collect()
}

fn sorted_as(name: &str) -> String {
    let words = name.split(' ').map(|word| match word.parse::<u64>() {
        Ok(number) => format!("{number:020}"),
        Err(_) => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Puts each span in the first row that is free when it begins.
fn lane<'a>(name: &'a str, mut spans: Vec<&'a Span>) -> Lane<'a> {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut free_from: Vec<Duration> = Vec::new();
    let placed = spans.into_iter().map(|span| {
        let row = free_from.iter().position(|&free| free <= span.start).unwrap_or(free_from.len());
        if row == free_from.len() {
            free_from.push(span.end);
        } else {
            free_from[row] = span.end;
        }
        (row, span)
    });
    let spans = placed.collect();
    Lane { name, rows: free_from.len(), spans }
}

/// Time in which at least one of the spans ran.
pub(super) fn busy<'a>(spans: impl Iterator<Item = &'a Span>) -> Duration {
    let mut times: Vec<_> = spans.map(|span| (span.start, span.end)).collect();
    times.sort_unstable();
    let (mut sum, mut until) = (Duration::ZERO, Duration::ZERO);
    for (start, end) in times {
        sum += end.saturating_sub(start.max(until));
        until = until.max(end);
    }
    sum
}
