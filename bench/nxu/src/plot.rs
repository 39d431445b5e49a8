//! Plot of ratios: a row for each file, a point for each codec.

use pelton_report::plot::axis::Axis;
use pelton_report::plot::svg::{Anchor, Svg};
use pelton_report::plot::{COLOURS, GREY, LIGHT_GREY};

const WIDTH: f64 = 900.0;
const LEFT: f64 = 130.0;
const RIGHT: f64 = WIDTH - 24.0;
const TOP: f64 = 84.0;
/// Pixels from a row to the next.
const ROW: f64 = 17.0;

/// A file's values.
pub struct Row {
    /// Its name.
    pub name: String,
    /// By kind.
    pub values: Vec<f64>,
}

/// Content of the plot.
pub struct Dots<'a> {
    /// Title.
    pub title: &'a str,
    /// A line below it.
    pub note: &'a str,
    /// Kinds of values, each with a colour and shape.
    pub kinds: &'a [&'a str],
    /// Rows, from the top.
    pub rows: &'a [Row],
}

impl Dots<'_> {
    /// Draws it as SVG.
    pub fn draw(&self) -> String {
        let bottom = TOP + ROW * self.rows.len() as f64;
        let x = Axis::logarithmic(self.rows.iter().flat_map(|row| row.values.iter().copied()), LEFT, RIGHT);
        let mut svg = Svg::new(WIDTH, bottom + 30.0);
        svg.text(LEFT, 24.0, Anchor::Start, 16, "#000000", self.title);
        svg.text(LEFT, 42.0, Anchor::Start, 11, GREY, self.note);
        for (number, kind) in self.kinds.iter().enumerate() {
            let at = LEFT + 120.0 * number as f64;
            let colour = COLOURS[number % COLOURS.len()];
            svg.marker(number, at, 60.0, colour);
            svg.text(at + 9.0, 64.0, Anchor::Start, 12, colour, kind);
        }
        for (value, place) in x.ticks() {
            svg.line((place, TOP - 8.0), (place, bottom), LIGHT_GREY);
            svg.text(place, bottom + 16.0, Anchor::Middle, 12, GREY, &value);
        }
        for (number, row) in self.rows.iter().enumerate() {
            let y = TOP + ROW * number as f64;
            svg.faint_line((LEFT, y), (RIGHT, y), LIGHT_GREY);
            svg.text(LEFT - 8.0, y + 4.0, Anchor::End, 11, GREY, &row.name);
            for (kind, &value) in row.values.iter().enumerate() {
                svg.marker(kind, x.place(value), y, COLOURS[kind % COLOURS.len()]);
            }
        }
        svg.finish()
    }
}
