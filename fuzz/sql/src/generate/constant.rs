//! Random constants.

use super::Generator;
use crate::tables::WORDS;
use crate::tree::{Expr, Form, Type};

/// Patterns of LIKE: wildcards at every place, characters of several bytes.
const PATTERNS: [&str; 14] =
    ["%", "", "a%", "%a", "%a%", "_", "__", "a_c", "%b%c", "_本%", "é_", "a%b%", "%%a", "1__"];

/// Patterns of SIMILAR TO, and the regular expressions that mean the same: DuckDB takes those.
const SIMILAR: [(&str, &str); 10] = [
    ("a%", "a.*"),
    ("(a|b)%", "(a|b).*"),
    ("a|ab", "a|ab"),
    ("%(b|c)", ".*(b|c)"),
    ("[ab]+", "[ab]+"),
    ("[^a]%", "[^a].*"),
    ("a{1,2}%", "a{1,2}.*"),
    ("_{2}", ".{2}"),
    ("(a|é)_*", "(a|é).*"),
    ("%1|z+", ".*1|z+"),
];

/// Regular expressions that both engines have.
const EXPRESSIONS: [&str; 8] = ["a", "^a", "b|c", "[0-9]+", "a.c", "^(a|b)+", "é", "[[:digit:]]"];

impl Generator<'_> {
    /// Returns a constant of a type, seldom null.
    pub(super) fn constant(&mut self, ty: &Type) -> Expr {
        if self.random.chance(0.04) { Expr::null(ty) } else { self.value(ty) }
    }

    /// Returns a constant of a type, never null.
    pub(super) fn value(&mut self, ty: &Type) -> Expr {
        let small = self.random.below(24) as i64 - 6;
        let text = match ty {
            Type::Bool => self.pick_text(&["TRUE", "FALSE"]).to_owned(),
            Type::Whole => match small {
                ..0 => format!("({small})"),
                _ => small.to_string(),
            },
            Type::Double => match self.random.below(10) {
                0 => {
                    let special = self.random.pick(&["NaN", "Infinity", "-Infinity"]);
                    format!("CAST('{special}' AS DOUBLE)")
                }
                1 => "(-0e0)".to_owned(),
                _ => format!("({:?}e0)", (self.random.below(160) as f64) / 4.0 - 15.0),
            },
            Type::Decimal => {
                let number = self.random.below(900) as i64 - 200;
                let scale = *self.random.pick(&[1, 2, 2, 4]);
                let sign = if number < 0 { "-" } else { "" };
                let ten = 10i64.pow(scale);
                format!("({sign}{}.{:0>2$})", number.abs() / ten, number.abs() % ten, scale as usize)
            }
            Type::Text => format!("'{}'", self.random.pick(&WORDS)),
            Type::Bytes => self.pick_text(&["X'00'", "X'61'", "X''", "X'61ff'"]).to_owned(),
            Type::Date => format!("DATE '{}'", self.day()),
            Type::Time => {
                let time = self.pick_text(&["12:00:00", "00:00:00", "23:59:59.999", "07:30:15.5"]);
                format!("TIME '{time}'")
            }
            Type::Stamp => format!("TIMESTAMP '{}'", self.stamp()),
            Type::Zoned => {
                let word = self.pick_text(&["TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ"]);
                let zone = self.pick_text(&["+00:00", "+00:00", "+02:00", "-05:30", "Z"]);
                format!("{word} '{}{zone}'", self.stamp())
            }
            Type::List(element) => {
                let elements: Vec<_> = (0..1 + self.random.below(3)).map(|_| self.value(element)).collect();
                let places: Vec<_> = (0..elements.len()).map(|index| format!("${index}")).collect();
                return Expr::new(ty.clone(), format!("[{}]", places.join(", ")), elements);
            }
            Type::Struct(fields) => {
                let values: Vec<_> = fields.iter().map(|(_, ty)| self.value(ty)).collect();
                let places: Vec<_> = fields
                    .iter()
                    .enumerate()
                    .map(|(index, (name, _))| format!("'{name}': ${index}"))
                    .collect();
                return Expr::new(ty.clone(), format!("{{{}}}", places.join(", ")), values);
            }
        };
        Expr::leaf(ty.clone(), text)
    }

    fn day(&mut self) -> String {
        match self.random.below(12) {
            0 => self
                .pick_text(&["0001-01-01", "9999-12-31", "1600-01-01", "2262-04-12", "1969-12-31"])
                .to_owned(),
            _ => {
                let (year, month) = (2020 + self.random.below(3), 1 + self.random.below(12));
                format!("{year}-{month:02}-{:02}", 1 + self.random.below(28))
            }
        }
    }

    fn stamp(&mut self) -> String {
        let time = self.pick_text(&["00:00:00", "00:00:00.001", "01:00:00", "12:34:56.123", "23:59:59.999"]);
        format!("{} {time}", self.day())
    }

    /// Returns a whole number in a range, as text.
    pub(super) fn number(&mut self, min: usize, max: usize) -> Expr {
        let number = min + self.random.below(max - min + 1);
        Expr::leaf(Type::Whole, number.to_string())
    }

    pub(super) fn like_pattern(&mut self) -> Expr {
        Expr::leaf(Type::Text, format!("'{}'", self.random.pick(&PATTERNS)))
    }

    pub(super) fn similar_pattern(&mut self) -> Expr {
        let (pattern, expression) = *self.random.pick(&SIMILAR);
        let form = Form { pelton: format!("'{pattern}'"), duckdb: Some(format!("'{expression}'")) };
        Expr::leaf(Type::Text, form)
    }

    pub(super) fn regular_expression(&mut self) -> Expr {
        Expr::leaf(Type::Text, format!("'{}'", self.random.pick(&EXPRESSIONS)))
    }
}
