//! Where values lie on an axis.

/// A linear axis from one pixel to another.
pub struct Axis {
    /// The value at the axis' start.
    pub least: f64,
    /// The value at its end.
    pub most: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis for values, with a margin of a twentieth, or of `least_margin` where they are all
    /// alike.
    pub fn new(values: impl Iterator<Item = f64>, least_margin: f64, from: f64, to: f64) -> Self {
        let (least, most) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let margin = ((most - least) / 20.0).max(least_margin);
        Axis { least: least - margin, most: most + margin, from, to }
    }

    /// Where a value lies.
    pub fn at(&self, value: f64) -> f64 {
        self.from + (value - self.least) / (self.most - self.least) * (self.to - self.from)
    }

    /// The first of some steps that gives at most eight marks, and the marks.
    pub fn marks(&self) -> Vec<f64> {
        let steps = (-3..6).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
        let step = steps.into_iter().find(|step| (self.most - self.least) / step <= 8.0).unwrap_or(1e6);
        let (first, last) = ((self.least / step).ceil() as i64, (self.most / step).floor() as i64);
        (first..=last).map(|index| index as f64 * step).collect()
    }
}
