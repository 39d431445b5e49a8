//! Random expressions in SQL.

use pelton_random::Random;

use super::tables::WORDS;

/// Types between which nothing has to be cast by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Bool,
    Integer,
    /// Finite, and kept so: the sign of the NaN that infinities make is the machine's.
    Float,
    /// With infinities and NaN: to be compared, and no more.
    Special,
    Decimal,
    Date,
    Timestamp,
    Text,
}

/// All but booleans and special floats.
pub const ORDERED: [Class; 6] =
    [Class::Integer, Class::Float, Class::Decimal, Class::Date, Class::Timestamp, Class::Text];

/// All that can be compared.
const COMPARED: [Class; 7] = [
    Class::Integer,
    Class::Float,
    Class::Special,
    Class::Decimal,
    Class::Date,
    Class::Timestamp,
    Class::Text,
];

/// A column that an expression can name.
#[derive(Debug, Clone)]
pub struct Column {
    pub name: String,
    pub class: Class,
}

/// Makes expressions over some columns.
pub struct Expressions<'a> {
    pub random: &'a mut Random,
    pub columns: &'a [Column],
}

const COMPARISONS: [&str; 6] = ["=", "<>", "<", "<=", ">", ">="];

/// Meetings of wildcards, escapes and characters of several bytes.
const PATTERNS: [&str; 16] = [
    "%",
    "",
    "a%",
    "%a",
    "%a%",
    "_",
    "__",
    "a_c",
    "%b%c",
    "_本%",
    "%\\%",
    "%\\_%",
    "é_",
    "a%b%",
    "%%a",
    "back\\\\%",
];

impl Expressions<'_> {
    /// Returns an expression of a class with at most `depth` levels.
    pub fn of(&mut self, class: Class, depth: usize) -> String {
        if depth == 0 || self.random.chance(0.25) {
            return self.leaf(class);
        }
        let deeper = depth - 1;
        match self.random.below(8) {
            0 => {
                let (when, then) = (self.condition(deeper), self.of(class, deeper));
                match self.random.chance(0.5) {
                    true => format!("CASE WHEN {when} THEN {then} ELSE {} END", self.of(class, deeper)),
                    false => {
                        let (second, other) = (self.condition(deeper), self.of(class, deeper));
                        format!("CASE WHEN {when} THEN {then} WHEN {second} THEN {other} END")
                    }
                }
            }
            1 => format!("coalesce({}, {})", self.of(class, deeper), self.of(class, deeper)),
            _ => self.own(class, deeper),
        }
    }

    /// Returns an expression that only this class has.
    fn own(&mut self, class: Class, depth: usize) -> String {
        match class {
            Class::Bool => self.condition(depth),
            Class::Integer => self.integer(depth),
            Class::Float => {
                let a = self.of(class, depth);
                match self.random.below(7) {
                    0 => format!("(-{a})"),
                    1 => format!("abs({a})"),
                    // next to the extreme numbers, sums would consist of rounding errors
                    2 => format!("CAST({} % 1000 AS DOUBLE)", self.of(Class::Integer, depth)),
                    3 => format!("CAST({} % 1000 AS DOUBLE)", self.of(Class::Decimal, depth)),
                    4 => format!("({a} / {})", self.random.pick(&["2.0", "-0.5", "3.0"])),
                    _ => format!("({a} {} {})", self.random.pick(&["+", "-", "*"]), self.of(class, depth)),
                }
            }
            Class::Decimal => {
                let a = self.leaf(class);
                match self.random.below(9) {
                    0 => format!("(-{a})"),
                    1 => format!("abs({a})"),
                    // a plain 1.5 is a float
                    2 => {
                        format!("({a} * CAST({} AS DECIMAL(3, 2)))", self.random.pick(&["1.5", "-2", "0.01"]))
                    }
                    3 => {
                        format!("({a} / CAST({} AS DECIMAL(5, 2)))", self.random.pick(&["3", "-0.7", "100"]))
                    }
                    4 => format!("CAST({a} AS DECIMAL(30, 1))"),
                    5 => format!("CAST({} AS DECIMAL(25, 3))", self.leaf(Class::Integer)),
                    6 => format!("({a} % 7)"),
                    _ => format!("({a} {} {})", self.random.pick(&["+", "-"]), self.leaf(class)),
                }
            }
            Class::Special | Class::Date | Class::Timestamp => self.leaf(class),
            Class::Text => {
                let (a, from) = (self.of(class, depth), self.random.below(6) as i64 - 2);
                match self.random.chance(0.5) {
                    true => format!("substr({a}, {from}, {})", self.random.below(5)),
                    false => format!("substr({a}, {from})"),
                }
            }
        }
    }

    fn integer(&mut self, depth: usize) -> String {
        let a = self.of(Class::Integer, depth);
        match self.random.below(12) {
            0 => format!("(-{})", self.leaf(Class::Integer)),
            1 => format!("abs({a} % 1000)"),
            2 => format!("({a} / {})", self.random.pick(&["3", "-5"])),
            3 => format!("({a} % {})", self.random.pick(&["7", "-3"])),
            4 => {
                let b = self.of(Class::Integer, depth);
                let op = self.random.pick(&["/", "%"]);
                format!("CASE WHEN {b} > 0 THEN {a} {op} {b} END")
            }
            5 => format!("character_length({})", self.of(Class::Text, depth)),
            6 => {
                let (part, class) = (
                    *self.random.pick(&["YEAR", "MONTH", "DAY", "QUARTER"]),
                    *self.random.pick(&[Class::Date, Class::Timestamp]),
                );
                format!("EXTRACT({part} FROM {})", self.column_or(class))
            }
            7 => format!("CAST({} AS BIGINT)", self.leaf(Class::Integer)),
            _ => format!("({a} {} {})", self.random.pick(&["+", "-", "*"]), self.of(Class::Integer, depth)),
        }
    }

    /// Returns a column, or a constant where there is none.
    fn column_or(&mut self, class: Class) -> String {
        let of_class: Vec<&Column> = self.columns.iter().filter(|column| column.class == class).collect();
        match of_class.is_empty() {
            true => self.constant(class),
            false => self.random.pick(&of_class).name.clone(),
        }
    }

    fn leaf(&mut self, class: Class) -> String {
        if self.random.chance(0.2) { self.constant(class) } else { self.column_or(class) }
    }

    /// Returns a constant, sometimes null.
    fn constant(&mut self, class: Class) -> String {
        if self.random.chance(0.05) {
            return match class {
                Class::Bool => "CAST(NULL AS BOOLEAN)",
                Class::Integer => "CAST(NULL AS INT)",
                Class::Float | Class::Special => "CAST(NULL AS DOUBLE)",
                Class::Decimal => "CAST(NULL AS DECIMAL(9, 2))",
                Class::Date => "CAST(NULL AS DATE)",
                Class::Timestamp => "CAST(NULL AS TIMESTAMP)",
                Class::Text => "CAST(NULL AS VARCHAR)",
            }
            .to_owned();
        }
        let small = self.random.below(30) as i64 - 8;
        match class {
            Class::Bool => self.random.pick(&["true", "false"]).to_string(),
            Class::Integer => small.to_string(),
            Class::Float => format!("CAST({} AS DOUBLE)", small as f64 / 4.0),
            Class::Special => {
                let special = self.random.pick(&["NaN", "Infinity", "-Infinity", "0.0", "-0.0", "0.25"]);
                format!("CAST('{special}' AS REAL)")
            }
            Class::Decimal => format!("CAST({}.{:02} AS DECIMAL(9, 2))", small, self.random.below(100)),
            Class::Date => {
                format!("DATE '20{:02}-03-{:02}'", self.random.below(30), self.random.below(28) + 1)
            }
            Class::Timestamp => format!("TIMESTAMP '20{:02}-03-01 12:34:56'", self.random.below(30)),
            Class::Text => format!("'{}'", self.random.pick(&WORDS)),
        }
    }

    /// Something that is true, false or unknown.
    pub fn condition(&mut self, depth: usize) -> String {
        let deeper = depth.saturating_sub(1);
        if depth > 0 && self.random.chance(0.4) {
            return match self.random.below(6) {
                0 => format!("(NOT {})", self.condition(deeper)),
                1 | 2 => format!("({} AND {})", self.condition(deeper), self.condition(deeper)),
                3 | 4 => format!("({} OR {})", self.condition(deeper), self.condition(deeper)),
                _ => {
                    let truth = self.random.pick(&["TRUE", "FALSE", "UNKNOWN"]).to_string();
                    let not = self.not();
                    format!("({} IS {not}{truth})", self.condition(deeper))
                }
            };
        }
        let class = *self.random.pick(&COMPARED);
        let a = self.of(class, deeper);
        match self.random.below(12) {
            0 => format!("({a} IS {}NULL)", self.not()),
            1 => format!("({a} IS {}DISTINCT FROM {})", self.not(), self.of(class, deeper)),
            2 => {
                let (not, low, high) = (self.not(), self.leaf(class), self.leaf(class));
                format!("({a} {not}BETWEEN {low} AND {high})")
            }
            3 => {
                let not = self.not();
                let mut list: Vec<String> =
                    (0..self.random.below(5) + 1).map(|_| self.plain_constant(class)).collect();
                if self.random.chance(0.2) {
                    list.push("NULL".to_owned());
                }
                format!("({} {not}IN ({}))", self.column_or(class), list.join(", "))
            }
            4 | 5 => {
                let (text, not) = (self.of(Class::Text, deeper), self.not());
                format!("({text} {not}LIKE '{}')", self.random.pick(&PATTERNS))
            }
            6 => self.leaf(Class::Bool),
            7 => {
                let function = *self.random.pick(&["starts_with", "ends_with", "contains"]);
                format!("{function}({}, '{}')", self.of(Class::Text, deeper), self.random.pick(&WORDS))
            }
            _ => format!("({a} {} {})", self.random.pick(&COMPARISONS), self.of(class, deeper)),
        }
    }

    fn plain_constant(&mut self, class: Class) -> String {
        loop {
            let constant = self.constant(class);
            if !constant.contains("NULL") {
                return constant;
            }
        }
    }

    fn not(&mut self) -> &'static str {
        if self.random.chance(0.5) { "NOT " } else { "" }
    }
}
