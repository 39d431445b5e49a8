//! Ratio against decompression speed, as an SVG file: a point for each codec, level and device.
//!
//! The plot needs a few circles and lines, and a label for each point, which few plotting libraries
//! place ([`labels`]); so it is drawn by hand.

mod labels;

use pelton_report::plot::axis::Axis;
use pelton_report::plot::svg::{Anchor, Svg};
use pelton_report::plot::{COLOURS, GREY, LIGHT_GREY};

use self::labels::Placed;
use super::report::{self, Report, Row};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 600.0;
/// Edges of the field that the points are in, which leave room for titles above and numbers to the
/// left and below.
const LEFT: f64 = 64.0;
const RIGHT: f64 = WIDTH - 24.0;
const TOP: f64 = 72.0;
const BOTTOM: f64 = HEIGHT - 56.0;

/// Maximum number of labels that can usually be told apart.
const MAX_LABELS: usize = 30;

/// A measured row's place in the field.
struct Point {
    x: f64,
    y: f64,
    /// Index of the codec, which has a colour.
    codec: usize,
    /// Index of the device, which has a shape.
    device: usize,
    /// May be empty.
    label: String,
}

/// Draws the picture.
pub fn draw(report: &Report<'_>) -> String {
    let measured = || report.rows.iter().filter_map(|row| Some((row, row.outcome.as_ref().ok()?)));
    let speeds = measured().map(|(_, figures)| figures.decompress.gb_per_second);
    let ratios = measured().map(|(_, figures)| figures.ratio());
    let x = Axis::logarithmic(speeds, LEFT, RIGHT);
    let y = Axis::linear(ratios, BOTTOM, TOP);
    let codecs = distinct(report.rows.iter().map(|row| row.contestant.format));
    let devices = distinct(report.rows.iter().map(|row| row.device.as_str()));
    let points: Vec<Point> = measured()
        .map(|(row, figures)| Point {
            x: x.place(figures.decompress.gb_per_second),
            y: y.place(figures.ratio()),
            codec: position(&codecs, &row.contestant.format),
            device: position(&devices, &row.device.as_str()),
            label: label(row, devices.len() > 1),
        })
        .collect();
    let points = thinned(points);

    let mut svg = Svg::new(WIDTH, HEIGHT);
    titles(&mut svg, report);
    grid(&mut svg, &x, &y);
    series(&mut svg, &points);
    for point in &points {
        svg.marker(point.device, point.x, point.y, COLOURS[point.codec % COLOURS.len()]);
    }
    let field = labels::Area { left: LEFT, top: TOP, right: RIGHT, bottom: BOTTOM };
    for (point, placed) in points.iter().zip(labels::place(&points, field)) {
        if !point.label.is_empty() {
            named(&mut svg, point, placed);
        }
    }
    svg.finish()
}

fn titles(svg: &mut Svg, report: &Report<'_>) {
    let names: Vec<String> = report.inputs.iter().map(|input| input.path.display().to_string()).collect();
    svg.text(LEFT, 24.0, Anchor::Start, 16, "#000000", &shortened(&names.join(", "), 90));
    svg.text(LEFT, 42.0, Anchor::Start, 11, GREY, &report::about_sample(report.sample));
    svg.text(LEFT, 58.0, Anchor::Start, 11, GREY, &report.about_measurement());
}

/// Lines across the field, with numbers.
fn grid(svg: &mut Svg, x: &Axis, y: &Axis) {
    for (value, place) in x.ticks() {
        svg.line((place, TOP), (place, BOTTOM), LIGHT_GREY);
        svg.text(place, BOTTOM + 18.0, Anchor::Middle, 12, GREY, &value);
    }
    for (value, place) in y.ticks() {
        svg.line((LEFT, place), (RIGHT, place), LIGHT_GREY);
        svg.text(LEFT - 8.0, place + 4.0, Anchor::End, 12, GREY, &value);
    }
    let middle = (LEFT + RIGHT) / 2.0;
    svg.text(middle, BOTTOM + 42.0, Anchor::Middle, 13, "#000000", "decompression, GB/s (logarithmic)");
    svg.text_upwards(20.0, (TOP + BOTTOM) / 2.0, 13, "#000000", "compression ratio");
}

/// A line through the levels of each codec on each device.
fn series(svg: &mut Svg, points: &[Point]) {
    for pair in points.windows(2) {
        let (from, to) = (&pair[0], &pair[1]);
        if (from.codec, from.device) == (to.codec, to.device) {
            svg.faint_line((from.x, from.y), (to.x, to.y), COLOURS[from.codec % COLOURS.len()]);
        }
    }
}

fn named(svg: &mut Svg, point: &Point, placed: Placed) {
    let colour = COLOURS[point.codec % COLOURS.len()];
    if let Some(end) = placed.leader {
        svg.faint_line((point.x, point.y), end, colour);
    }
    svg.text(placed.left, placed.baseline, Anchor::Start, labels::FONT_SIZE, colour, &point.label);
}

fn label(row: &Row, with_device: bool) -> String {
    if with_device { format!("{} {}", row.contestant, row.device) } else { row.contestant.to_string() }
}

/// Removes the labels of levels between others, if there are too many labels.
fn thinned(mut points: Vec<Point>) -> Vec<Point> {
    if points.len() > MAX_LABELS {
        let series: Vec<_> = points.iter().map(|point| (point.codec, point.device)).collect();
        for (index, around) in series.windows(3).enumerate() {
            if around[0] == around[1] && around[1] == around[2] {
                points[index + 1].label.clear();
            }
        }
    }
    points
}

fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

fn position<T: PartialEq>(values: &[T], value: &T) -> usize {
    values.iter().position(|other| other == value).unwrap_or(0)
}

fn shortened(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Every codec has a colour of its own.
const _: () = assert!(COLOURS.len() >= super::contestant::FORMATS.len());

#[cfg(test)]
mod tests;
