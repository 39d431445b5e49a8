//! Plot of the estimates: ratio against speed, and the time of a batch against its size, where a
//! mark at a crossing says from which size on a device is faster than the CPU.

use super::estimate::{Estimate, Origin};
use super::report::Report;
use super::{accelerator, nxu};
use pelton_report::numbers::bytes;
use pelton_report::plot::chart::{Chart, Mark, Scale, Series, stacked};

/// Batches from the smallest that is compared to a row group, in kB.
const MIN: f64 = 0.064;
const MAX: f64 = 100_000.0;
/// Points of each line: enough for its bend.
const POINTS: usize = 80;

/// Draws it.
pub fn draw(report: &Report<'_>) -> String {
    let notes = [report.about_measurement(), accelerator::IAA_SOURCE.to_owned(), nxu::SOURCE.to_owned()];
    let time = |estimate: &Estimate, kilobytes: f64| estimate.decompress.batch.seconds(kilobytes * 1e3) * 1e6;
    let series = |points: &dyn Fn(&Estimate) -> Vec<(f64, f64)>| -> Vec<Series> {
        let one = |estimate: &Estimate| Series {
            name: name(estimate),
            points: points(estimate),
            is_dashed: estimate.origin != Origin::Measured,
        };
        report.estimates.iter().map(one).collect()
    };
    let ratios = series(&|estimate| {
        let speeds = [estimate.compress, estimate.decompress].map(|work| work.batch.throughput() / 1e9);
        speeds.map(|speed| (speed, estimate.ratio)).to_vec()
    });
    let ends = |estimate: &Estimate| {
        let speeds = [("c", estimate.compress), ("d", estimate.decompress)];
        speeds.map(|(end, work)| ((work.batch.throughput() / 1e9, estimate.ratio), end))
    };
    let ends = report.estimates.iter().enumerate().flat_map(|(series, estimate)| {
        ends(estimate).map(|(at, end)| Mark { at, series, text: end.to_owned() })
    });
    let times = series(&|estimate| {
        let size = |n: usize| MIN * (MAX / MIN).powf(n as f64 / POINTS as f64);
        (0..=POINTS).map(|n| (size(n), time(estimate, size(n)))).collect()
    });
    let crossing = |(series, estimate): (usize, &Estimate)| {
        let size = estimate.decompress.overtakes.filter(|size| (MIN..=MAX).contains(&(size / 1e3)))?;
        let at = (size / 1e3, time(estimate, size / 1e3));
        Some(Mark { at, series, text: bytes(size.ceil() as u64) })
    };
    let mut crossings: Vec<Mark> = report.estimates.iter().enumerate().filter_map(crossing).collect();
    crossings.dedup_by(|a, b| a.at == b.at);
    let by_speed = Chart {
        title: "Ratio and speed on this data, from compressing (c) to decompressing (d)",
        notes: &notes,
        x: ("GB/s", Scale::Logarithmic),
        y: ("compression ratio", Scale::Linear),
        series: &ratios,
        marks: &ends.collect::<Vec<_>>(),
    };
    let by_size = Chart {
        title: "Decompressing a batch of this data, and the size from which on a device is faster than the CPU",
        notes: &[],
        x: ("batch, kB", Scale::Logarithmic),
        y: ("time, µs", Scale::Logarithmic),
        series: &times,
        marks: &crossings,
    };
    stacked(&[by_speed, by_size])
}

fn name(estimate: &Estimate) -> String {
    match estimate.origin {
        Origin::Measured => estimate.device.clone(),
        origin => format!("{} ({})", estimate.device, origin.name()),
    }
}
