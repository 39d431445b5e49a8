//! Chart of series over two axes, with the name of each at its last point.

use super::axis::Axis;
use super::svg::{Anchor, Stroke, Svg};
use super::{COLOURS, GREY, LIGHT_GREY};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 600.0;
/// Edges of the field, with room for titles above, numbers to the left and below, and names to the
/// right.
const LEFT: f64 = 72.0;
const RIGHT: f64 = WIDTH - 210.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = HEIGHT - 56.0;

/// Scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps add.
    Linear,
    /// Equal steps multiply.
    Logarithmic,
}

/// An axis: its title and scale.
pub type Titled<'a> = (&'a str, Scale);

/// Points of the same kind.
#[derive(Clone, Debug)]
pub struct Series {
    /// The name, beside the last point.
    pub name: String,
    /// Places, in the order of the line through them.
    pub points: Vec<(f64, f64)>,
    /// Whether the line has gaps.
    pub is_dashed: bool,
}

/// A point with words of its own, such as one at which two lines cross.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Place in values.
    pub at: (f64, f64),
    /// Index of the series whose colour it has.
    pub series: usize,
    /// The words.
    pub text: String,
}

/// Content of a chart.
pub struct Chart<'a> {
    /// Title.
    pub title: &'a str,
    /// Lines below the title.
    pub notes: &'a [String],
    /// Horizontal axis.
    pub x: Titled<'a>,
    /// Vertical axis.
    pub y: Titled<'a>,
    /// The series. One with a single point has a marker.
    pub series: &'a [Series],
    /// Marks.
    pub marks: &'a [Mark],
}

impl Chart<'_> {
    /// Draws it as SVG.
    pub fn draw(&self) -> String {
        let mut svg = Svg::new(WIDTH, HEIGHT);
        self.draw_at(&mut svg, 0.0);
        svg.finish()
    }

    /// Draws it below other charts, whose height is `above`.
    fn draw_at(&self, svg: &mut Svg, above: f64) {
        let (top, bottom) = (above + TOP, above + BOTTOM);
        let all = || self.series.iter().flat_map(|series| &series.points);
        let x = axis(self.x.1, all().map(|point| point.0), LEFT, RIGHT);
        let y = axis(self.y.1, all().map(|point| point.1), bottom, top);
        svg.text(LEFT, above + 24.0, Anchor::Start, 16, "#000000", self.title);
        for (number, note) in self.notes.iter().enumerate() {
            svg.text(LEFT, above + 42.0 + 15.0 * number as f64, Anchor::Start, 11, GREY, note);
        }
        for (value, place) in x.ticks() {
            svg.line((place, top), (place, bottom), LIGHT_GREY);
            svg.text(place, bottom + 18.0, Anchor::Middle, 12, GREY, &value);
        }
        for (value, place) in y.ticks() {
            svg.line((LEFT, place), (RIGHT, place), LIGHT_GREY);
            svg.text(LEFT - 8.0, place + 4.0, Anchor::End, 12, GREY, &value);
        }
        svg.text((LEFT + RIGHT) / 2.0, bottom + 42.0, Anchor::Middle, 13, "#000000", &titled(self.x));
        svg.text_upwards(20.0, (top + bottom) / 2.0, 13, "#000000", &titled(self.y));
        let ends = self.series.iter().map(|series| series.points.last().map_or(bottom, |end| y.place(end.1)));
        let names = spread(ends.collect());
        for (number, (series, name)) in self.series.iter().zip(names).enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let places: Vec<(f64, f64)> =
                series.points.iter().map(|&(a, b)| (x.place(a), y.place(b))).collect();
            match places[..] {
                [(x, y)] => svg.marker(number, x, y, colour),
                _ => svg.polyline(&places, Stroke { colour, width: 1.5, is_dashed: series.is_dashed }),
            }
            svg.text(RIGHT + 8.0, name + 4.0, Anchor::Start, 12, colour, &series.name);
        }
        for (number, mark) in self.marks.iter().enumerate() {
            let colour = COLOURS[mark.series % COLOURS.len()];
            let at = (x.place(mark.at.0), y.place(mark.at.1));
            svg.dot(at, 4.0, colour, &mark.text);
            // By turns left and right, so that those of neighbours are apart.
            let (left, anchor) = if number % 2 == 0 { (-6.0, Anchor::End) } else { (6.0, Anchor::Start) };
            svg.text(at.0 + left, at.1 - 6.0, anchor, 11, colour, &mark.text);
        }
    }
}

/// Draws charts one below the other as SVG.
pub fn stacked(charts: &[Chart<'_>]) -> String {
    let mut svg = Svg::new(WIDTH, HEIGHT * charts.len() as f64);
    for (number, chart) in charts.iter().enumerate() {
        chart.draw_at(&mut svg, HEIGHT * number as f64);
    }
    svg.finish()
}

fn axis(scale: Scale, values: impl Iterator<Item = f64>, start: f64, end: f64) -> Axis {
    match scale {
        Scale::Linear => Axis::linear(values, start, end),
        Scale::Logarithmic => Axis::logarithmic(values, start, end),
    }
}

fn titled((title, scale): Titled<'_>) -> String {
    match scale {
        Scale::Linear => title.to_owned(),
        Scale::Logarithmic => format!("{title} (logarithmic)"),
    }
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
