//! Axes: places of values on the picture, and round values for the ticks.

/// One axis.
pub struct Axis {
    scale: Scale,
    from: f64,
    to: f64,
    /// Places of `from` and `to` on the picture.
    start: f64,
    end: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    Linear,
    Logarithmic,
}

/// Maximum number of ticks that can be told apart at a glance.
const MAX_TICKS: f64 = 8.0;

/// Share of an axis that stays free at both ends, so that no point sits on the edge.
const MARGIN: f64 = 0.06;

impl Axis {
    /// Makes an axis from just below the minimum to just above the maximum.
    pub fn linear(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        let (min, max) = range(values, 0.0, 1.0);
        // Equal values, zero too, still need an axis with a length; tables show hundredths.
        let length = (max - min).max(max * 0.1).max(0.01);
        let free = length * MARGIN;
        Axis { scale: Scale::Linear, from: min - free, to: min + length + free, start, end }
    }

    /// Makes an axis on which each step multiplies.
    pub fn logarithmic(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        let (min, max) = range(values.filter(|value| *value > 0.0), 0.1, 1.0);
        // A range of at least a factor of four, so that two or three ticks are in it.
        let middle = (min * max).sqrt();
        let (min, max) = (min.min(middle / 2.0), max.max(middle * 2.0));
        let free = (max / min).powf(MARGIN);
        Axis { scale: Scale::Logarithmic, from: min / free, to: max * free, start, end }
    }

    /// Returns the place of a value.
    pub fn place(&self, value: f64) -> f64 {
        let part = match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Logarithmic => (value / self.from).ln() / (self.to / self.from).ln(),
        };
        self.start + part.clamp(0.0, 1.0) * (self.end - self.start)
    }

    /// Returns round values and their places.
    pub fn ticks(&self) -> Vec<(String, f64)> {
        let values = match self.scale {
            Scale::Linear => self.linear_ticks(),
            Scale::Logarithmic => self.logarithmic_ticks(),
        };
        values.into_iter().map(|(value, digits)| (format!("{value:.digits$}"), self.place(value))).collect()
    }

    /// Returns multiples of a round step, with the digits that they need.
    fn linear_ticks(&self) -> Vec<(f64, usize)> {
        let span = self.to - self.from;
        let mut power = (span / MAX_TICKS).log10().floor() as i32;
        let mut steps = [1.0, 2.0, 5.0].into_iter();
        let step = loop {
            match steps.next() {
                Some(factor) if span / (factor * 10f64.powi(power)) <= MAX_TICKS => {
                    break factor * 10f64.powi(power);
                }
                Some(_) => {}
                None => (power, steps) = (power + 1, [1.0, 2.0, 5.0].into_iter()),
            }
        };
        let digits = usize::try_from(-power).unwrap_or(0);
        let (first, last) = ((self.from / step).ceil() as i64, (self.to / step).floor() as i64);
        (first..=last).map(|n| (n as f64 * step, digits)).collect()
    }

    /// Returns round multiples of each power of ten, or the powers alone where those are too many.
    fn logarithmic_ticks(&self) -> Vec<(f64, usize)> {
        let decades = (self.to / self.from).log10();
        let factors: &[f64] = if decades * 3.0 <= MAX_TICKS { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let powers = (self.from.log10().floor() as i32)..=(self.to.log10().ceil() as i32);
        let values =
            powers.flat_map(|power| factors.iter().map(move |factor| (factor * 10f64.powi(power), power)));
        values
            .filter(|(value, _)| (self.from..=self.to).contains(value))
            .map(|(value, power)| (value, usize::try_from(-power).unwrap_or(0)))
            .collect()
    }
}

/// Returns the minimum and the maximum of `values`; the given ones if there are none.
fn range(values: impl Iterator<Item = f64>, min: f64, max: f64) -> (f64, f64) {
    let values = values.filter(|value| value.is_finite());
    values.map(|value| (value, value)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((min, max))
}

#[cfg(test)]
mod tests;
