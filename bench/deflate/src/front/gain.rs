//! Gains of our levels over named rivals.

use super::Point;
use crate::encoders::Family;

/// Question about our levels; the best level that answers it counts.
#[derive(Clone, Copy)]
pub enum Question {
    /// The percentage of bytes saved, relative to this encoder, by our smallest level of at least
    /// its speed.
    Fewer(&'static str),
    /// The speed, relative to this encoder, of our fastest level with at most this multiple of its
    /// bytes.
    Faster(&'static str, f64),
}

/// The project's questions about its encoder, with the titles of a table's columns.
pub const QUESTIONS: [(&str, Question); 5] = [
    ("fewer bytes at igzip1's speed", Question::Fewer("igzip1")),
    ("speed at libdeflate1's bytes", Question::Faster("libdeflate1", 1.0)),
    ("speed at zlib6's bytes + 3%", Question::Faster("zlib6", 1.03)),
    ("speed at libdeflate6's bytes", Question::Faster("libdeflate6", 1.0)),
    ("speed at libdeflate9's bytes", Question::Faster("libdeflate9", 1.0)),
];

impl Question {
    /// Returns the answer of one of our families with the level that gives it, "none" if no level
    /// does, "-" if that or the rival was not measured.
    pub fn answer(self, of: Family, points: &[Point]) -> String {
        let (Question::Fewer(name) | Question::Faster(name, _)) = self;
        let Some(rival) = points.iter().find(|point| point.name == name) else {
            return "-".into();
        };
        // A level that only stores is no answer to one that compresses.
        let stores = |point: &Point| point.ratio < 1.0 && rival.ratio > 1.0;
        let ours = || points.iter().filter(|point| point.family == of && !stores(point));
        if ours().next().is_none() {
            return "-".into();
        }
        let answer = match self {
            Question::Fewer(_) => ours()
                .filter(|point| point.speed >= rival.speed)
                .min_by(|a, b| a.compressed.total_cmp(&b.compressed))
                .map(|best| {
                    format!("{:.1}% ({})", (1.0 - best.compressed / rival.compressed) * 100.0, best.name)
                }),
            Question::Faster(_, slack) => ours()
                .filter(|point| point.compressed <= rival.compressed * slack)
                .max_by(|a, b| a.speed.total_cmp(&b.speed))
                .map(|best| format!("{:.2}x ({})", best.speed / rival.speed, best.name)),
        };
        answer.unwrap_or_else(|| "none".into())
    }
}

#[cfg(test)]
mod tests;
