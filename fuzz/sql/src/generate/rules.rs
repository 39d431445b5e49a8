//! Functions and operators: types, and the text in each dialect.

use super::{Generator, Scope};
use crate::tree::{Expr, Form, Type};

/// An argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    /// A whole number, often of 64 bits.
    Whole,
    Double,
    Decimal,
    Text,
    Bytes,
    Date,
    Time,
    Stamp,
    Zoned,
    /// A constant from 1 to 6.
    Few,
    /// A constant from 0 to 5.
    FewOrNone,
    /// A regular expression.
    Pattern,
}

/// A function or an operator.
struct Rule {
    pelton: &'static str,
    /// Empty where it is the same.
    duckdb: &'static str,
    arguments: &'static [Kind],
    rough: bool,
}

const fn rule(pelton: &'static str, arguments: &'static [Kind]) -> Rule {
    Rule { pelton, duckdb: "", arguments, rough: false }
}

const fn rough(pelton: &'static str, arguments: &'static [Kind]) -> Rule {
    Rule { pelton, duckdb: "", arguments, rough: true }
}

const fn pair(pelton: &'static str, duckdb: &'static str, arguments: &'static [Kind]) -> Rule {
    Rule { pelton, duckdb, arguments, rough: false }
}

use Kind::*;

const WHOLES: &[Rule] = &[
    rule("($0 + $1)", &[Whole, Whole]),
    rule("($0 - $1)", &[Whole, Whole]),
    rule("($0 * $1)", &[Whole, Few]),
    rule("($0 * $1)", &[Whole, Whole]),
    rule("($0 / $1)", &[Whole, Few]),
    rule("($0 / nullif($1, 0))", &[Whole, Whole]),
    rule("($0 % $1)", &[Whole, Few]),
    rule("($0 % nullif($1, 0))", &[Whole, Whole]),
    rule("(-$0)", &[Whole]),
    rule("abs($0)", &[Whole]),
    rule("($0 & $1)", &[Whole, Whole]),
    rule("($0 | $1)", &[Whole, Whole]),
    rule("xor($0, $1)", &[Whole, Whole]),
    rule("length($0)", &[Text]),
    pair("octet_length($0)", "strlen($0)", &[Text]),
    rule("strpos($0, $1)", &[Text, Text]),
    rule("position($1 IN $0)", &[Text, Text]),
    rule("ascii($0)", &[Text]),
    pair("extract(year FROM $0)", "CAST(extract(year FROM $0) AS BIGINT)", &[Date]),
    pair("extract(month FROM $0)", "CAST(extract(month FROM $0) AS BIGINT)", &[Date]),
    pair("extract(day FROM $0)", "CAST(extract(day FROM $0) AS BIGINT)", &[Date]),
    pair("extract(quarter FROM $0)", "CAST(extract(quarter FROM $0) AS BIGINT)", &[Date]),
    pair("extract(week FROM $0)", "CAST(extract(week FROM $0) AS BIGINT)", &[Date]),
    pair("extract(dow FROM $0)", "CAST(extract(dow FROM $0) AS BIGINT)", &[Date]),
    pair("extract(doy FROM $0)", "CAST(extract(doy FROM $0) AS BIGINT)", &[Date]),
    pair("extract(isodow FROM $0)", "CAST(extract(isodow FROM $0) AS BIGINT)", &[Date]),
    pair("date_part('year', $0)", "CAST(date_part('year', $0) AS BIGINT)", &[Stamp]),
    pair("extract(hour FROM $0)", "CAST(extract(hour FROM $0) AS BIGINT)", &[Stamp]),
    pair("extract(minute FROM $0)", "CAST(extract(minute FROM $0) AS BIGINT)", &[Stamp]),
    pair("extract(second FROM $0)", "CAST(extract(second FROM $0) AS BIGINT)", &[Stamp]),
    pair("extract(day FROM $0)", "CAST(extract(day FROM $0) AS BIGINT)", &[Stamp]),
    pair("extract(month FROM $0)", "CAST(extract(month FROM $0) AS BIGINT)", &[Zoned]),
    pair("extract(hour FROM $0)", "CAST(extract(hour FROM $0) AS BIGINT)", &[Zoned]),
    pair("extract(hour FROM $0)", "CAST(extract(hour FROM $0) AS BIGINT)", &[Time]),
    pair("extract(minute FROM $0)", "CAST(extract(minute FROM $0) AS BIGINT)", &[Time]),
    rule("CAST(extract(epoch FROM $0) AS BIGINT)", &[Date]),
    rule("CAST($0 AS BIGINT)", &[Bool]),
    rule("CAST($0 AS BIGINT)", &[Decimal]),
    rule("TRY_CAST($0 AS BIGINT)", &[Double]),
    rule("TRY_CAST($0 AS BIGINT)", &[Text]),
    rule("TRY_CAST($0 AS SMALLINT)", &[Whole]),
    rule("TRY_CAST($0 AS TINYINT)", &[Text]),
    rule("CAST($0 AS INT)", &[Whole]),
    rule("($0 - $1)", &[Date, Date]),
    rule("char_length($0)", &[Text]),
    rule("bit_length($0)", &[Text]),
    rule("gcd($0, $1)", &[Whole, Few]),
    pair("extract(isoyear FROM $0)", "CAST(extract(isoyear FROM $0) AS BIGINT)", &[Date]),
    pair("extract(millisecond FROM $0)", "CAST(extract(millisecond FROM $0) AS BIGINT)", &[Stamp]),
    pair("extract(microsecond FROM $0)", "CAST(extract(microsecond FROM $0) AS BIGINT)", &[Time]),
    pair("extract(day FROM $0)", "CAST(extract(day FROM $0) AS BIGINT)", &[Zoned]),
    rule("CAST(extract(epoch FROM ($0 - $1)) AS BIGINT)", &[Stamp, Stamp]),
    rule("CAST(extract(epoch FROM $0) AS BIGINT)", &[Zoned]),
    pair(
        "array_length(string_to_array(concat('b', $0), 'a'))",
        "len(string_split(concat('b', $0), 'a'))",
        &[Text],
    ),
    rule("CAST(round($0) AS BIGINT)", &[Decimal]),
    rule("CAST($0 AS BIGINT)", &[Double]),
];

const DOUBLES: &[Rule] = &[
    rule("($0 + $1)", &[Double, Double]),
    rule("($0 - $1)", &[Double, Double]),
    rule("($0 * $1)", &[Double, Double]),
    rule("($0 / 4e0)", &[Double]),
    rule("($0 / $1)", &[Double, Double]),
    rule("(-$0)", &[Double]),
    rule("abs($0)", &[Double]),
    rule("floor($0)", &[Double]),
    rule("ceil($0)", &[Double]),
    rule("round($0)", &[Double]),
    rule("trunc($0)", &[Double]),
    rough("round($0, 1)", &[Double]),
    rough("sqrt(abs($0))", &[Double]),
    rough("ln(abs($0) + 1)", &[Double]),
    rough("sin($0 / 100)", &[Whole]),
    rough("power($0, 2)", &[Double]),
    rule("CAST($0 AS DOUBLE)", &[Whole]),
    rule("CAST($0 AS DOUBLE)", &[Decimal]),
    rule("TRY_CAST($0 AS DOUBLE)", &[Text]),
    rule("nullif($0, $1)", &[Double, Double]),
    rule("CAST(CAST($0 AS REAL) AS DOUBLE)", &[Whole]),
    rough("exp($0 / 50)", &[Double]),
    rough("cbrt($0)", &[Double]),
    rough("log10(abs($0) + 1)", &[Double]),
    // zeros of GROUP BY have no sign
    rough("atan2($0 + 0e0, $1 + 0e0)", &[Double, Double]),
    rough("degrees($0)", &[Double]),
    pair("sign(CASE WHEN isnan($0) THEN 0 ELSE $0 END)", "CAST(sign($0) AS DOUBLE)", &[Double]),
    rule("($0 % 3e0)", &[Double]),
];

const DECIMALS: &[Rule] = &[
    rule("($0 + $1)", &[Decimal, Decimal]),
    rule("($0 - $1)", &[Decimal, Decimal]),
    rule("($0 + $1)", &[Decimal, Few]),
    rule("CAST(CAST($0 AS DECIMAL(30, 4)) * 1.5 AS DECIMAL(30, 4))", &[Decimal]),
    rule("CAST(CAST($0 AS DECIMAL(30, 4)) * $1 AS DECIMAL(30, 4))", &[Decimal, Few]),
    rule("($0 % 1.7)", &[Decimal]),
    rule("(-$0)", &[Decimal]),
    rule("abs($0)", &[Decimal]),
    rule("CAST(round($0, 1) AS DECIMAL(20, 1))", &[Decimal]),
    rule("CAST(floor($0) AS DECIMAL(20, 0))", &[Decimal]),
    rule("CAST(ceil($0) AS DECIMAL(20, 0))", &[Decimal]),
    rule("CAST(trunc(CAST($0 AS DECIMAL(18, 4))) AS DECIMAL(18, 0))", &[Decimal]),
    rule("CAST(round(CAST($0 AS DECIMAL(18, 4)), -1) AS DECIMAL(18, 0))", &[Decimal]),
    rule("CAST(round(CAST($0 AS DECIMAL(18, 4))) AS DECIMAL(18, 0))", &[Decimal]),
    rule("($0 % nullif($1, 0))", &[Decimal, Decimal]),
    rule("CAST($0 AS DECIMAL(20, 3))", &[Decimal]),
    rule("CAST($0 AS DECIMAL(12, 1))", &[Decimal]),
    rule("TRY_CAST($0 AS DECIMAL(4, 2))", &[Decimal]),
    rule("CAST($0 AS DECIMAL(20, 2))", &[Whole]),
    rule("TRY_CAST($0 AS DECIMAL(9, 2))", &[Text]),
    rule("TRY_CAST($0 AS DECIMAL(9, 1))", &[Double]),
];

const TEXTS: &[Rule] = &[
    rule("upper($0)", &[Text]),
    rule("lower($0)", &[Text]),
    rule("substr($0, $1)", &[Text, Few]),
    rule("substr($0, $1, $2)", &[Text, Few, FewOrNone]),
    rule("substring($0 FROM $1 FOR $2)", &[Text, Few, FewOrNone]),
    rule("($0 || $1)", &[Text, Text]),
    rule("concat($0, $1)", &[Text, Text]),
    rule("concat_ws('-', $0, $1)", &[Text, Text]),
    rule("trim($0)", &[Text]),
    rule("ltrim($0, 'a')", &[Text]),
    rule("rtrim($0)", &[Text]),
    rule("trim(BOTH 'a' FROM $0)", &[Text]),
    rule("replace($0, 'a', $1)", &[Text, Text]),
    rule("left($0, $1)", &[Text, FewOrNone]),
    rule("right($0, $1)", &[Text, FewOrNone]),
    rule("left($0, -$1)", &[Text, Few]),
    rule("lpad($0, $1, 'xy')", &[Text, FewOrNone]),
    rule("rpad($0, $1, 'é')", &[Text, FewOrNone]),
    rule("repeat($0, $1)", &[Text, FewOrNone]),
    rule("reverse($0)", &[Text]),
    rule("split_part($0, 'a', $1)", &[Text, Few]),
    rule("translate($0, 'ab', 'x')", &[Text]),
    rule("chr(65 + $0)", &[Few]),
    rule("regexp_replace($0, $1, 'x')", &[Text, Pattern]),
    rule("CAST($0 AS VARCHAR)", &[Whole]),
    rule("CAST(CASE WHEN $0 >= DATE '0001-01-01' THEN $0 END AS VARCHAR)", &[Date]),
    rule("CAST($0 AS VARCHAR)", &[Bool]),
    rule("CAST(CAST($0 AS DECIMAL(18, 2)) AS VARCHAR)", &[Whole]),
    rule("nullif($0, $1)", &[Text, Text]),
    rule("CAST($0 AS VARCHAR)", &[Decimal]),
    rule("CAST(CASE WHEN $0 >= TIMESTAMP '0001-01-01' THEN $0 END AS VARCHAR)", &[Stamp]),
    rule("CAST($0 AS VARCHAR)", &[Time]),
    rule("right($0, -$1)", &[Text, Few]),
    rule("concat($0, $1, $2)", &[Text, Whole, Text]),
    rule("($0 || $1)", &[Text, Whole]),
    rule("regexp_replace($0, $1, '<\\0>', 'g')", &[Text, Pattern]),
    rule("array_to_string(string_to_array($0, 'a'), '-')", &[Text]),
    rule("concat_ws($0, $1, $2)", &[Text, Text, Text]),
];

const DATES: &[Rule] = &[
    rule("CAST($0 + INTERVAL '3' DAY AS DATE)", &[Date]),
    rule("CAST($0 - INTERVAL '1' MONTH AS DATE)", &[Date]),
    rule("CAST($0 + INTERVAL '1' YEAR AS DATE)", &[Date]),
    rule("CAST($0 AS DATE)", &[Stamp]),
    rule("CAST(date_trunc('month', $0) AS DATE)", &[Date]),
    rule("CAST(date_trunc('week', $0) AS DATE)", &[Date]),
    rule("CAST(date_trunc('quarter', $0) AS DATE)", &[Stamp]),
    rule("make_date(2020, $0, $1)", &[Few, Few]),
    // longer text may be a date of the year 7 to DuckDB
    rule("TRY_CAST(substr($0, 1, 4) AS DATE)", &[Text]),
    rule("TRY_CAST(CAST(CASE WHEN $0 >= DATE '0001-01-01' THEN $0 END AS VARCHAR) AS DATE)", &[Date]),
    rule("greatest($0, $1)", &[Date, Date]),
    rule("CAST($0 AS DATE)", &[Zoned]),
    rule("($0 + $1)", &[Date, Few]),
    rule("last_day($0)", &[Date]),
];

const TIMES: &[Rule] = &[rule("CAST($0 AS TIME)", &[Stamp]), rule("coalesce($0, $1)", &[Time, Time])];

const STAMPS: &[Rule] = &[
    rule("($0 + INTERVAL '30' HOUR)", &[Date]),
    rule("($0 - INTERVAL '1 day 90 minutes')", &[Date]),
    rule("($0 + INTERVAL '1 month 2 days 3 hours')", &[Stamp]),
    rule("($0 - ($1 - $0))", &[Stamp, Stamp]),
    rule("($0 + INTERVAL '3' DAY)", &[Stamp]),
    rule("($0 - INTERVAL '90' MINUTE)", &[Stamp]),
    rule("($0 + INTERVAL '1' MONTH)", &[Stamp]),
    rule("date_trunc('hour', $0)", &[Stamp]),
    rule("date_trunc('day', $0)", &[Stamp]),
    rule("date_trunc('second', $0)", &[Stamp]),
    rule("date_trunc('year', $0)", &[Stamp]),
    rule("CAST($0 AS TIMESTAMP)", &[Date]),
    rule("CAST($0 AS TIMESTAMP)", &[Zoned]),
    rule("($0 AT TIME ZONE 'UTC')", &[Zoned]),
    rule("($0 AT TIME ZONE 'Europe/Berlin')", &[Zoned]),
    rule("($0 + $1)", &[Date, Time]),
    rule("date_trunc('week', $0)", &[Stamp]),
    rule("TRY_CAST(substr($0, 1, 4) AS TIMESTAMP)", &[Text]),
];

const ZONED: &[Rule] = &[
    rule("CAST($0 AS TIMESTAMPTZ)", &[Date]),
    rule("CAST($0 AS TIMESTAMPTZ)", &[Stamp]),
    rule("TRY_CAST(substr($0, 1, 4) AS TIMESTAMPTZ)", &[Text]),
    rule("($0 + INTERVAL '3' HOUR)", &[Zoned]),
    rule("date_trunc('day', $0)", &[Zoned]),
    rule("date_trunc('hour', $0)", &[Zoned]),
    rule("date_trunc('month', $0)", &[Zoned]),
    rule("($0 - INTERVAL '1' MONTH)", &[Zoned]),
    rule("CAST($0 AS TIMESTAMP WITH TIME ZONE)", &[Stamp]),
    rule("($0 AT TIME ZONE 'America/New_York')", &[Stamp]),
];

const BYTES: &[Rule] =
    &[pair("CAST($0 AS BYTEA)", "encode($0)", &[Text]), rule("coalesce($0, $1)", &[Bytes, Bytes])];

/// Conditions other than comparisons, which every type has.
const CONDITIONS: &[Rule] = &[
    rule("(($0 - $1) < ($1 - $2))", &[Stamp, Stamp, Stamp]),
    rule("(($0 - $1) = ($1 - $0))", &[Stamp, Stamp]),
    rule("(($0 - $1) >= INTERVAL '1 month')", &[Stamp, Stamp]),
    rule("(($0 - $1) BETWEEN INTERVAL '-30 days' AND INTERVAL '720 hours')", &[Stamp, Stamp]),
    rule("(($0 - $1) < INTERVAL '36 hours')", &[Zoned, Zoned]),
    rule("($0 = $1)", &[Stamp, Zoned]),
    rule("($0 < $1)", &[Date, Zoned]),
    rule("starts_with($0, $1)", &[Text, Text]),
    rule("ends_with($0, $1)", &[Text, Text]),
    rule("contains($0, $1)", &[Text, Text]),
    pair("regexp_like($0, $1)", "regexp_matches($0, $1)", &[Text, Pattern]),
    rule("isnan($0)", &[Double]),
    rule("($0 IS TRUE)", &[Bool]),
    rule("($0 IS NOT FALSE)", &[Bool]),
    pair("($0 IS UNKNOWN)", "($0 IS NULL)", &[Bool]),
    rule("CAST($0 AS BOOLEAN)", &[Whole]),
    rule("TRY_CAST($0 AS BOOLEAN)", &[Text]),
    rule("($0 = $1)", &[Whole, Decimal]),
    rule("($0 < $1)", &[Whole, Decimal]),
    rule("($0 >= $1)", &[Whole, Double]),
    rule("($0 = $1)", &[Decimal, Double]),
    rule("($0 < $1)", &[Decimal, Double]),
    rule("($0 = $1)", &[Date, Stamp]),
    rule("($0 <= $1)", &[Date, Stamp]),
    rule("($0 = $1)", &[Whole, Double]),
    rule("($0 IS DISTINCT FROM $1)", &[Decimal, Whole]),
    rule("($0 IS NOT TRUE)", &[Bool]),
    rule("(($0 - $1) > INTERVAL '36' HOUR)", &[Stamp, Stamp]),
];

impl Kind {
    fn ty(self) -> Type {
        match self {
            Bool => Type::Bool,
            Whole | Few | FewOrNone => Type::Whole,
            Double => Type::Double,
            Decimal => Type::Decimal,
            Text | Pattern => Type::Text,
            Bytes => Type::Bytes,
            Date => Type::Date,
            Time => Type::Time,
            Stamp => Type::Stamp,
            Zoned => Type::Zoned,
        }
    }
}

impl Generator<'_> {
    /// Returns a function or an operator of a type. Nested types have none.
    pub(super) fn function(&mut self, scope: &Scope, ty: &Type, depth: usize) -> Option<Expr> {
        let rules = match ty {
            Type::Bool => CONDITIONS,
            Type::Whole => WHOLES,
            Type::Double => DOUBLES,
            Type::Decimal => DECIMALS,
            Type::Text => TEXTS,
            Type::Bytes => BYTES,
            Type::Date => DATES,
            Type::Time => TIMES,
            Type::Stamp => STAMPS,
            Type::Zoned => ZONED,
            Type::List(_) | Type::Struct(_) => return None,
        };
        let rule = self.random.pick(rules);
        let argument = |kind: &Kind| {
            let argument = self.argument(scope, *kind, depth);
            // a root of 32 bits is of 32 bits
            if rule.rough { argument.of_64_bits() } else { argument }
        };
        let arguments = rule.arguments.iter().map(argument).collect();
        let form = Form::from((rule.pelton, rule.duckdb));
        let expr = Expr::new(ty.clone(), form, arguments);
        Some(if rule.rough { expr.rough() } else { expr })
    }

    fn argument(&mut self, scope: &Scope, kind: Kind, depth: usize) -> Expr {
        match kind {
            Few => self.number(1, 6),
            FewOrNone => self.number(0, 5),
            Pattern => self.regular_expression(),
            // products and sums of sums soon have no digits left
            Decimal => {
                let depth = depth.min(1);
                self.expr(scope, &Type::Decimal, depth)
            }
            _ => {
                let expr = self.expr(scope, &kind.ty(), depth);
                self.widened(expr)
            }
        }
    }

    /// Mostly of 64 bits, so that few sums overflow.
    pub(super) fn widened(&mut self, expr: Expr) -> Expr {
        if self.random.chance(0.9) { expr.of_64_bits() } else { expr }
    }
}
