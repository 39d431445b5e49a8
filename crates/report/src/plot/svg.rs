//! Shapes and text as SVG 1.1.

use std::fmt::Write;

/// A picture while it is drawn.
pub struct Svg {
    text: String,
}

/// The part of a text that is at its place.
#[derive(Clone, Copy)]
pub enum Anchor {
    /// Its start.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// Look of a line through points.
#[derive(Clone, Copy)]
pub struct Stroke<'a> {
    /// The colour.
    pub colour: &'a str,
    /// Pixels across.
    pub width: f64,
    /// Whether the line has gaps.
    pub is_dashed: bool,
}

/// Half the size of a marker.
const MARKER: f64 = 4.5;

impl Svg {
    /// Makes an empty picture of `width` by `height` pixels.
    pub fn new(width: f64, height: f64) -> Self {
        let mut svg = Svg { text: String::new() };
        svg.push(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">"
        ));
        svg.push(format_args!("<rect width=\"{width}\" height=\"{height}\" fill=\"#FFFFFF\"/>"));
        svg
    }

    /// A thin line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        self.stroke(from, to, colour, 1.0);
    }

    /// A line less visible than the points on it.
    pub fn faint_line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        self.stroke(from, to, colour, 0.4);
    }

    fn stroke(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), colour: &str, opacity: f64) {
        self.push(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\" \
             stroke-opacity=\"{opacity}\"/>"
        ));
    }

    /// A point: a circle, square, diamond or triangle by its number.
    pub fn marker(&mut self, number: usize, x: f64, y: f64, colour: &str) {
        let m = MARKER;
        match number % 4 {
            0 => self.push(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{m}\" fill=\"{colour}\"/>")),
            1 => self.polygon(&[(x - m, y - m), (x + m, y - m), (x + m, y + m), (x - m, y + m)], colour),
            2 => self
                .polygon(&[(x, y - m - 1.0), (x + m + 1.0, y), (x, y + m + 1.0), (x - m - 1.0, y)], colour),
            _ => self.polygon(&[(x, y - m - 1.0), (x + m + 1.0, y + m), (x - m - 1.0, y + m)], colour),
        }
    }

    fn polygon(&mut self, corners: &[(f64, f64)], colour: &str) {
        let corners: Vec<String> = corners.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.push(format_args!("<polygon points=\"{}\" fill=\"{colour}\"/>", corners.join(" ")));
    }

    /// A line through some points.
    pub fn polyline(&mut self, points: &[(f64, f64)], stroke: Stroke<'_>) {
        let Stroke { colour, width, is_dashed } = stroke;
        let dashes = if is_dashed { " stroke-dasharray=\"3 3\"" } else { "" };
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.push(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{dashes}/>",
            points.join(" ")
        ));
    }

    /// A circle with text that is shown when the pointer is over it.
    pub fn dot(&mut self, (x, y): (f64, f64), radius: f64, colour: &str, tooltip: &str) {
        self.push(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\"><title>{}</title></circle>",
            escaped(tooltip)
        ));
    }

    /// A line of text with its baseline at `y`, on a white edge that keeps lines behind it apart.
    pub fn text(&mut self, x: f64, y: f64, anchor: Anchor, size: u32, colour: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{colour}\" text-anchor=\"{anchor}\" \
             stroke=\"#FFFFFF\" stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
            escaped(text)
        ));
    }

    /// A line of text that runs upwards, centred on a place.
    pub fn text_upwards(&mut self, x: f64, y: f64, size: u32, colour: &str, text: &str) {
        self.push(format_args!(
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" font-size=\"{size}\" fill=\"{colour}\" \
             text-anchor=\"middle\">{}</text>",
            escaped(text)
        ));
    }

    /// Returns the text of the file.
    pub fn finish(mut self) -> String {
        self.push(format_args!("</svg>"));
        self.text
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{element}");
    }
}

/// Escapes the characters that are markup in XML; control characters become spaces.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
