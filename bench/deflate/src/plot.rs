//! Plot of ratio against speed, with a panel for each set of points.

use pelton_report::plot::axis::Axis;
use pelton_report::plot::svg::{Anchor, Stroke, Svg};
use pelton_report::plot::{GREY, LIGHT_GREY};

use crate::encoders::Family;
use crate::front::{Panel, Point};

/// Maximum number of panels in a row.
const COLUMNS: usize = 4;
/// Pixels of a panel, with its margins.
const PANEL: (f64, f64) = (460.0, 360.0);
/// Pixels from a panel's edges to its axes: left, right, top, bottom.
const MARGINS: [f64; 4] = [46.0, 18.0, 30.0, 40.0];
/// Pixels above the panels, for the legend.
const LEGEND: f64 = 44.0;

/// Returns a library's colour, which colour-blind readers can tell apart (Okabe and Ito, 2008).
fn colour(family: Family) -> &'static str {
    match family {
        Family::Pelton => "#d55e00",
        Family::PeltonAvx2 => "#f0a060",
        Family::Libdeflate => "#0072b2",
        Family::Igzip => "#009e73",
        Family::Zlib => "#333333",
        Family::ZlibNg => "#cc79a7",
        Family::ZlibRs => "#b8860b",
        Family::Zstd => "#999999",
    }
}

/// Draws all panels.
pub fn plot(panels: &[Panel]) -> String {
    let columns = panels.len().clamp(1, COLUMNS);
    let (width, height) =
        (PANEL.0 * columns as f64, LEGEND + PANEL.1 * panels.len().div_ceil(columns) as f64);
    let mut svg = Svg::new(width, height);
    legend(&mut svg, panels);
    for (index, panel) in panels.iter().enumerate() {
        let at = ((index % columns) as f64 * PANEL.0, LEGEND + (index / columns) as f64 * PANEL.1);
        draw(&mut svg, panel, at);
    }
    svg.finish()
}

fn legend(svg: &mut Svg, panels: &[Panel]) {
    let used = |family: &Family| panels.iter().flat_map(|panel| &panel.points).any(|p| p.family == *family);
    for (index, family) in Family::ALL.into_iter().filter(used).enumerate() {
        let x = 20.0 + index as f64 * 92.0;
        svg.dot((x, 18.0), 5.0, colour(family), family.name());
        svg.text(x + 10.0, 22.0, Anchor::Start, 13, "#222222", family.name());
    }
    let note = "Numbers at points are levels. Up is smaller, right is faster.";
    svg.text(14.0, 40.0, Anchor::Start, 11, GREY, note);
}

fn draw(svg: &mut Svg, panel: &Panel, at: (f64, f64)) {
    let [left, right, top, bottom] = MARGINS;
    let (x0, x1, y0, y1) = (at.0 + left, at.0 + PANEL.0 - right, at.1 + PANEL.1 - bottom, at.1 + top);
    let speeds = Axis::logarithmic(panel.points.iter().map(|point| point.speed), x0, x1);
    let ratios = Axis::linear(panel.points.iter().map(|point| point.ratio), y0, y1);
    svg.text(x0, y1 - 9.0, Anchor::Start, 13, "#000000", &panel.title);
    for (ratio, y) in ratios.ticks() {
        svg.line((x0, y), (x1, y), LIGHT_GREY);
        svg.text(x0 - 5.0, y + 4.0, Anchor::End, 11, GREY, &ratio);
    }
    for (speed, x) in speeds.ticks() {
        svg.line((x, y0), (x, y1), LIGHT_GREY);
        svg.text(x, y0 + 15.0, Anchor::Middle, 11, GREY, &speed);
    }
    let axes = Stroke { colour: "#555555", width: 1.0, is_dashed: false };
    svg.polyline(&[(x0, y1), (x0, y0), (x1, y0)], axes);
    svg.text((x0 + x1) / 2.0, y0 + 31.0, Anchor::Middle, 11, GREY, "MB/s");
    svg.text(x0 - 5.0, y1 - 9.0, Anchor::End, 11, GREY, "ratio");
    // Ours last, on top.
    for family in Family::ALL.into_iter().rev() {
        let points = panel.points.iter().filter(|point| point.family == family);
        let placed = points.map(|point| (point, speeds.place(point.speed), ratios.place(point.ratio)));
        series(svg, family, &placed.collect::<Vec<_>>());
    }
}

/// Draws the levels of a library: a line through them, a dot and a number for each.
fn series(svg: &mut Svg, family: Family, placed: &[(&Point, f64, f64)]) {
    let is_ours = family == Family::Pelton;
    let (width, radius) = if is_ours { (2.0, 4.5) } else { (1.0, 3.5) };
    let colour = colour(family);
    let line: Vec<(f64, f64)> = placed.iter().map(|&(_, x, y)| (x, y)).collect();
    if line.len() > 1 {
        svg.polyline(&line, Stroke { colour, width, is_dashed: family == Family::Zstd });
    }
    for &(point, x, y) in placed {
        let Point { name, ratio, speed, .. } = point;
        svg.dot((x, y), radius, colour, &format!("{name}: ratio {ratio:.3}, {speed:.0} MB/s"));
        let level = name.strip_prefix(family.name()).unwrap_or(name);
        let (x, y) = if is_ours { (x + 5.0, y - 5.0) } else { (x + 4.0, y + 11.0) };
        svg.text(x, y, Anchor::Start, 10, colour, level);
    }
}

#[cfg(test)]
mod tests;
