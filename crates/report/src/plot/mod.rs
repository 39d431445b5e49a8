//! Plots as SVG: shapes and text, axes, and the colours of series.

pub mod axis;
pub mod chart;
pub mod svg;

/// The palette of Okabe and Ito (2008), which colour-blind readers can tell apart; without its
/// yellow, which is too light for text.
pub const COLOURS: [&str; 8] =
    ["#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#000000", "#882255"];

/// Colour of titles and of numbers at the axes.
pub const GREY: &str = "#666666";
/// Colour of lines across the field.
pub const LIGHT_GREY: &str = "#E4E4E4";
