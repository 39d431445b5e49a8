//! Plot of the time of a batch against its size, for each device: where lines cross, another device
//! becomes the fastest.

use super::estimate::Estimate;
use super::report::Report;
use pelton_report::plot::axis::Axis;
use pelton_report::plot::svg::{Anchor, Svg};
use pelton_report::plot::{COLOURS, GREY, LIGHT_GREY};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 600.0;
/// Edges of the field, with room for titles above, numbers to the left and below, and names to the
/// right.
const LEFT: f64 = 72.0;
const RIGHT: f64 = WIDTH - 190.0;
const TOP: f64 = 72.0;
const BOTTOM: f64 = HEIGHT - 56.0;

/// Batches from a block of a storage engine to a row group, in kB.
const MIN: f64 = 1.0;
const MAX: f64 = 100_000.0;
/// Points of each line: enough for its bend.
const POINTS: usize = 80;

/// Draws it.
pub fn draw(report: &Report<'_>) -> String {
    let sizes: Vec<f64> = (0..=POINTS).map(|n| MIN * (MAX / MIN).powf(n as f64 / POINTS as f64)).collect();
    let time = |estimate: &Estimate, kilobytes: f64| estimate.batch.seconds(kilobytes * 1e3) * 1e6;
    let x = Axis::logarithmic([MIN, MAX].into_iter(), LEFT, RIGHT);
    let ends = report.estimates.iter().flat_map(|estimate| [MIN, MAX].map(|size| time(estimate, size)));
    let y = Axis::logarithmic(ends, BOTTOM, TOP);

    let mut svg = Svg::new(WIDTH, HEIGHT);
    svg.text(LEFT, 24.0, Anchor::Start, 16, "#000000", "Decompressing a batch of this data");
    svg.text(LEFT, 42.0, Anchor::Start, 11, GREY, &report.about_measurement());
    svg.text(LEFT, 58.0, Anchor::Start, 11, GREY, super::accelerator::SOURCE);
    for (value, place) in x.ticks() {
        svg.line((place, TOP), (place, BOTTOM), LIGHT_GREY);
        svg.text(place, BOTTOM + 18.0, Anchor::Middle, 12, GREY, &value);
    }
    for (value, place) in y.ticks() {
        svg.line((LEFT, place), (RIGHT, place), LIGHT_GREY);
        svg.text(LEFT - 8.0, place + 4.0, Anchor::End, 12, GREY, &value);
    }
    svg.text((LEFT + RIGHT) / 2.0, BOTTOM + 42.0, Anchor::Middle, 13, "#000000", "batch, kB (logarithmic)");
    svg.text_upwards(20.0, (TOP + BOTTOM) / 2.0, 13, "#000000", "time, µs (logarithmic)");
    let names = spread(report.estimates.iter().map(|estimate| y.place(time(estimate, MAX))).collect());
    for (number, (estimate, name)) in report.estimates.iter().zip(names).enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let places: Vec<(f64, f64)> =
            sizes.iter().map(|&size| (x.place(size), y.place(time(estimate, size)))).collect();
        for pair in places.windows(2) {
            svg.line(pair[0], pair[1], colour);
        }
        let modelled = if estimate.is_modelled { " (modelled)" } else { "" };
        svg.text(
            RIGHT + 8.0,
            name + 4.0,
            Anchor::Start,
            12,
            colour,
            &format!("{}{modelled}", estimate.device),
        );
    }
    svg.finish()
}

/// Moves overlapping names apart; they keep their order.
fn spread(places: Vec<f64>) -> Vec<f64> {
    const APART: f64 = 16.0;
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].total_cmp(&places[b]));
    let mut spread = places;
    for pair in order.windows(2) {
        spread[pair[1]] = spread[pair[1]].max(spread[pair[0]] + APART);
    }
    spread
}

#[cfg(test)]
mod tests;
