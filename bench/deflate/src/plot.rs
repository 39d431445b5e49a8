//! The front as SVG: speed on a logarithmic axis, ratio on a linear one, a panel for each set of
//! points.

mod axis;

use std::fmt::Write;

use axis::Axis;

use crate::coders::Family;
use crate::front::{Panel, Point};

/// Panels side by side.
const COLUMNS: usize = 4;
/// Pixels of a panel, with its margins.
const PANEL: (f64, f64) = (460.0, 360.0);
/// Pixels from a panel's edges to its axes: left, right, top, bottom.
const MARGINS: [f64; 4] = [46.0, 18.0, 30.0, 40.0];
/// Pixels above the panels, for the legend.
const LEGEND: f64 = 44.0;

/// A library's colour, told apart also by colour-blind people (Okabe and Ito, 2008).
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

/// The picture of all panels.
pub fn plot(panels: &[Panel]) -> String {
    let columns = panels.len().clamp(1, COLUMNS);
    let (width, height) =
        (PANEL.0 * columns as f64, LEGEND + PANEL.1 * panels.len().div_ceil(columns) as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#222\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    legend(&mut svg, panels);
    for (index, panel) in panels.iter().enumerate() {
        let at = ((index % columns) as f64 * PANEL.0, LEGEND + (index / columns) as f64 * PANEL.1);
        draw(&mut svg, panel, at);
    }
    svg + "</svg>\n"
}

/// Adds a line to the picture; writing to a String cannot fail.
macro_rules! add {
    ($svg:expr, $($arguments:tt)*) => {
        let _ = writeln!($svg, $($arguments)*);
    };
}

fn legend(svg: &mut String, panels: &[Panel]) {
    let used = |family: &Family| panels.iter().flat_map(|panel| &panel.points).any(|p| p.family == *family);
    for (index, family) in Family::ALL.into_iter().filter(used).enumerate() {
        let x = 20.0 + index as f64 * 92.0;
        add!(svg, "<circle cx=\"{x}\" cy=\"18\" r=\"5\" fill=\"{}\"/>", colour(family));
        add!(svg, "<text x=\"{}\" y=\"22\" font-size=\"13\">{}</text>", x + 10.0, family.name());
    }
    add!(
        svg,
        "<text x=\"14\" y=\"40\" fill=\"#666\">Numbers at points are levels. Up is smaller, right is faster.</text>"
    );
}

fn draw(svg: &mut String, panel: &Panel, at: (f64, f64)) {
    let [left, right, top, bottom] = MARGINS;
    let (x0, x1, y0, y1) = (at.0 + left, at.0 + PANEL.0 - right, at.1 + PANEL.1 - bottom, at.1 + top);
    let speeds = Axis::new(panel.points.iter().map(|point| point.speed.log10()), 0.05, x0, x1);
    let ratios = Axis::new(panel.points.iter().map(|point| point.ratio), 0.01, y0, y1);
    add!(
        svg,
        "<text x=\"{x0}\" y=\"{:.1}\" font-size=\"13\" font-weight=\"bold\">{}</text>",
        y1 - 9.0,
        panel.title
    );
    for mark in ratios.marks() {
        let y = ratios.at(mark);
        add!(svg, "<path d=\"M{x0} {y:.1}H{x1}\" stroke=\"#e4e4e4\"/>");
        let digits = if ratios.most - ratios.least < 0.2 { 3 } else { 2 };
        add!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{mark:.digits$}</text>",
            x0 - 5.0,
            y + 4.0
        );
    }
    for speed in (0..6).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power))) {
        let x = speeds.at(speed.log10());
        if (x0..=x1).contains(&x) {
            add!(svg, "<path d=\"M{x:.1} {y0}V{y1}\" stroke=\"#e4e4e4\"/>");
            add!(svg, "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{speed}</text>", y0 + 15.0);
        }
    }
    add!(svg, "<path d=\"M{x0} {y1}V{y0}H{x1}\" fill=\"none\" stroke=\"#555\"/>");
    add!(svg, "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">MB/s</text>", (x0 + x1) / 2.0, y0 + 31.0);
    add!(svg, "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">ratio</text>", x0 - 5.0, y1 - 9.0);
    // Ours last, on top.
    for family in Family::ALL.into_iter().rev() {
        let points = panel.points.iter().filter(|point| point.family == family);
        let placed = points.map(|point| (point, speeds.at(point.speed.log10()), ratios.at(point.ratio)));
        series(svg, family, &placed.collect::<Vec<_>>());
    }
}

/// A library's levels: a line through them, a dot and a number for each.
fn series(svg: &mut String, family: Family, placed: &[(&Point, f64, f64)]) {
    let ours = family == Family::Pelton;
    let (colour, width, radius) =
        (colour(family), if ours { 2.0 } else { 1.0 }, if ours { 4.5 } else { 3.5 });
    let dashes = if family == Family::Zstd { " stroke-dasharray=\"3 3\"" } else { "" };
    let line: Vec<String> = placed.iter().map(|(_, x, y)| format!("{x:.1},{y:.1}")).collect();
    if line.len() > 1 {
        let line = line.join(" ");
        add!(
            svg,
            "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{dashes}/>"
        );
    }
    for (point, x, y) in placed {
        let (name, ratio, speed) = (&point.name, point.ratio, point.speed);
        let level = name.strip_prefix(family.name()).unwrap_or(name);
        add!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\">\
             <title>{name}: ratio {ratio:.3}, {speed:.0} MB/s</title></circle>"
        );
        let weight = if ours { " font-weight=\"bold\"" } else { "" };
        let (x, y) = if ours { (x + 5.0, y - 5.0) } else { (x + 4.0, y + 11.0) };
        add!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"10\" fill=\"{colour}\"{weight}>{level}</text>"
        );
    }
}

#[cfg(test)]
mod tests;
