//! Figures of the paper beside ours, with the range that ours are expected in.

use std::ops::RangeInclusive;

use pelton_report::table::{Align, TextTable};

/// Source of one of our figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The model of the engine.
    Modelled,
    /// The model's speed, and a setup time that the paper publishes.
    Published,
    /// A clock, on this machine.
    Measured,
}

/// Form of a figure.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A share as a percentage.
    Percent,
    /// A number with this many digits after the point.
    Number(usize),
    /// A statement: 1 where it holds.
    Holds,
}

/// A figure of the paper, and ours.
pub struct Check {
    /// Figure, table or section.
    pub place: &'static str,
    /// The quantity.
    pub what: String,
    /// The paper's value.
    pub paper: &'static str,
    /// Range in which ours is expected.
    pub expected: RangeInclusive<f64>,
    /// Ours.
    pub ours: f64,
    /// Its form.
    pub form: Form,
    /// Its source.
    pub source: Source,
    /// Reason, should it be outside.
    pub why: &'static str,
}

impl Check {
    /// Returns whether our figure is in the expected range.
    pub fn holds(&self) -> bool {
        self.expected.contains(&self.ours)
    }
}

/// Part of the record: a section with its checks and plots.
#[derive(Default)]
pub struct Part {
    /// Title of the section.
    pub title: &'static str,
    /// Markdown.
    pub text: String,
    /// Checks.
    pub checks: Vec<Check>,
    /// Names of files, and their SVG.
    pub plots: Vec<(&'static str, String)>,
}

/// Returns a table of all checks, and the reasons of those outside their range.
pub fn summary<'a>(checks: impl Iterator<Item = &'a Check> + Clone) -> String {
    let columns = [
        ("", Align::Left),
        ("quantity", Align::Left),
        ("paper", Align::Right),
        ("expected", Align::Right),
        ("ours", Align::Right),
        ("ours is", Align::Left),
        ("", Align::Left),
    ];
    let mut table = TextTable::new(columns.map(|(title, align)| (title.to_owned(), align)));
    for check in checks.clone() {
        let source = match check.source {
            Source::Modelled => "modelled",
            Source::Published => "modelled, setup published",
            Source::Measured => "measured here",
        };
        table.row([
            check.place,
            &check.what,
            check.paper,
            &range(check),
            &shown(check.form, check.ours),
            source,
            if check.holds() { "" } else { "**outside**" },
        ]);
    }
    let mut text = table.markdown();
    for check in checks.filter(|check| !check.holds()) {
        text += &format!("\nOutside: {}, {}: {}\n", check.place, check.what, check.why);
    }
    text
}

fn range(check: &Check) -> String {
    let (from, to) = (*check.expected.start(), *check.expected.end());
    match check.form {
        Form::Holds => String::new(),
        form if from == f64::NEG_INFINITY => format!("at most {}", shown(form, to)),
        form if to == f64::INFINITY => format!("at least {}", shown(form, from)),
        form => format!("{} to {}", shown(form, from), shown(form, to)),
    }
}

fn shown(form: Form, value: f64) -> String {
    match form {
        Form::Percent => format!("{:.1}%", 100.0 * value),
        Form::Number(digits) => format!("{value:.digits$}"),
        Form::Holds if value == 1.0 => "yes".to_owned(),
        Form::Holds => "no".to_owned(),
    }
}

/// Returns 1 for true.
pub fn statement(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}
