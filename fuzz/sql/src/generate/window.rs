//! Random window functions, with frames.

use super::aggregate::sum_of;
use super::{Generator, Scope};
use crate::tree::{Expr, Form, Type};

/// Bounds of frames that begin and end in this order.
const FRAMES: [(&str, &str); 14] = [
    ("UNBOUNDED PRECEDING", "CURRENT ROW"),
    ("UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING"),
    ("CURRENT ROW", "UNBOUNDED FOLLOWING"),
    ("2 PRECEDING", "CURRENT ROW"),
    ("1 PRECEDING", "1 FOLLOWING"),
    ("3 PRECEDING", "1 PRECEDING"),
    ("1 FOLLOWING", "2 FOLLOWING"),
    ("CURRENT ROW", "CURRENT ROW"),
    ("UNBOUNDED PRECEDING", "1 PRECEDING"),
    ("UNBOUNDED PRECEDING", "2 FOLLOWING"),
    ("2 FOLLOWING", "UNBOUNDED FOLLOWING"),
    ("CURRENT ROW", "3 FOLLOWING"),
    ("0 PRECEDING", "0 FOLLOWING"),
    ("4 PRECEDING", "2 PRECEDING"),
];

impl Generator<'_> {
    /// Returns a window function with a value that does not depend on the order of equal rows.
    pub(super) fn window(&mut self, scope: &Scope) -> Expr {
        let keys = scope.keys.clone().filter(|_| self.random.chance(0.7));
        let (function, ty, mut arguments, framed, rough) = self.windowed(scope, keys.is_some());
        let base = arguments.len();
        let mut partition = Vec::new();
        for _ in 0..*self.random.pick(&[0, 1, 1, 2]) {
            let ty = self.flat_type(scope);
            if let Some(key) = self.one_of(&scope.leaves, &ty).filter(|key| !key.rough) {
                partition.push(key);
            }
        }
        let mut order = Vec::new();
        let first = self.flat_type(scope);
        order.extend(self.one_of(&scope.leaves, &first).filter(|key| !key.rough));
        let exact = keys.is_some();
        order.extend(keys.into_iter().flatten());
        if order.is_empty() {
            order.push(self.value(&Type::Whole));
        }
        let frame = match framed && self.random.chance(0.7) {
            true => self.frame(exact, &order),
            false => String::new(),
        };
        let place = |index: usize| format!("${}", base + index);
        let partition_text: Vec<String> = (0..partition.len()).map(place).collect();
        let words = |generator: &mut Self| {
            let direction = generator.pick_text(&["ASC", "DESC"]);
            format!("{direction} {}", generator.pick_text(&["NULLS FIRST", "NULLS LAST"]))
        };
        let order_text: Vec<String> = (0..order.len())
            .map(|index| format!("{} {}", place(partition.len() + index), words(self)))
            .collect();
        let ending = |partition: &[String], frame: &str| {
            let by = if partition.is_empty() {
                String::new()
            } else {
                format!("PARTITION BY {} ", partition.join(", "))
            };
            let tail = if frame.is_empty() { String::new() } else { format!(" {frame}") };
            format!(" OVER ({by}ORDER BY {}{tail})", order_text.join(", "))
        };
        // a cast is around the whole
        let over = |text: &str, ending: String| match text.strip_prefix("CAST(sum(") {
            Some(_) => text.replacen(") AS ", &format!("){ending} AS "), 1),
            None => format!("{text}{ending}"),
        };
        let text = |partition: &[String], frame: &str| Form {
            pelton: over(&function.pelton, ending(partition, frame)),
            duckdb: function.duckdb.as_ref().map(|text| over(text, ending(partition, frame))),
        };
        let simpler: Vec<Form> = vec![text(&[], ""), text(&[], &frame), text(&partition_text, "")];
        let form = text(&partition_text, &frame);
        arguments.extend(partition);
        let fixed = arguments.len();
        arguments.extend(order);
        let expr = Expr { fixed, ..Expr::new(ty, form, arguments).simpler(simpler) };
        if rough { expr.rough() } else { expr }
    }

    /// Returns the function without OVER, its type and arguments, whether a frame makes a
    /// difference to it, and whether it is rounded.
    fn windowed(&mut self, scope: &Scope, exact: bool) -> (Form, Type, Vec<Expr>, bool, bool) {
        let any = self.flat_type(scope);
        let value = self.leaf(scope, &any);
        match self.random.below(if exact { 23 } else { 14 }) {
            0 => ("rank()".into(), Type::Whole, vec![], false, false),
            1 => ("dense_rank()".into(), Type::Whole, vec![], false, false),
            2 => {
                let form = self.pick_text(&["percent_rank()", "cume_dist()"]);
                (form.into(), Type::Double, vec![], false, true)
            }
            3 => ("count(*)".into(), Type::Whole, vec![], true, false),
            4 => ("count($0)".into(), Type::Whole, vec![value], true, false),
            5 | 6 => {
                let number = self.random.pick(&[Type::Whole, Type::Decimal]).clone();
                let summed = self.leaf(scope, &number);
                (sum_of(&number, "$0").into(), number, vec![self.widened(summed)], true, false)
            }
            7 => ("min($0)".into(), any, vec![value], true, false),
            8 => ("max($0)".into(), any, vec![value], true, false),
            9 => {
                let mean = self.leaf(scope, &Type::Whole);
                ("avg(CAST($0 AS DOUBLE))".into(), Type::Double, vec![mean], true, true)
            }
            10 => {
                let form = self.pick_text(&["stddev(CAST($0 AS DOUBLE))", "var_pop(CAST($0 AS DOUBLE))"]);
                (form.into(), Type::Double, vec![self.leaf(scope, &Type::Whole)], true, true)
            }
            11 => {
                let form = self.pick_text(&["bool_and($0)", "bool_or($0)"]);
                (form.into(), Type::Bool, vec![self.leaf(scope, &Type::Bool)], true, false)
            }
            12 => {
                let form = self.pick_text(&["bit_and($0)", "bit_or($0)", "bit_xor($0)"]);
                let form = form.replace("$0", "CAST($0 AS BIGINT)");
                (form.into(), Type::Whole, vec![self.leaf(scope, &Type::Whole)], true, false)
            }
            13 => {
                let summed = self.leaf(scope, &Type::Whole);
                (
                    sum_of(&Type::Whole, "DISTINCT $0").into(),
                    Type::Whole,
                    vec![self.widened(summed)],
                    true,
                    false,
                )
            }
            14 => {
                let text = self.leaf(scope, &Type::Text);
                ("string_agg($0, ',')".into(), Type::Text, vec![text], true, false)
            }
            15 => ("row_number()".into(), Type::Whole, vec![], false, false),
            16 => (format!("ntile({})", 1 + self.random.below(5)).into(), Type::Whole, vec![], false, false),
            17 => {
                let form = self.pick_text(&["lag($0)", "lead($0)", "lag($0, 2)", "lead($0, 3)"]);
                (form.into(), any, vec![value], false, false)
            }
            18 => {
                let function = self.pick_text(&["lag", "lead"]);
                let default = self.value(&any);
                (
                    format!("{function}($0, {}, $1)", 1 + self.random.below(3)).into(),
                    any,
                    vec![value, default],
                    false,
                    false,
                )
            }
            19 => {
                let form = self.pick_text(&["first_value($0)", "last_value($0)"]);
                (form.into(), any, vec![value], true, false)
            }
            20 => {
                (format!("nth_value($0, {})", 1 + self.random.below(3)).into(), any, vec![value], true, false)
            }
            21 => {
                let (name, offset) = (self.pick_text(&["lag", "lead"]), 1 + self.random.below(2));
                let form = Form {
                    pelton: format!("{name}($0, {offset}) IGNORE NULLS"),
                    duckdb: Some(format!("{name}($0, {offset} IGNORE NULLS)")),
                };
                (form, any, vec![value], false, false)
            }
            _ => {
                let form = match self.random.chance(0.5) {
                    true => ("first_value($0) IGNORE NULLS", "first_value($0 IGNORE NULLS)"),
                    false => ("last_value($0) IGNORE NULLS", "last_value($0 IGNORE NULLS)"),
                };
                (form.into(), any, vec![value], true, false)
            }
        }
    }

    /// Returns a frame that holds the same rows whatever the order of equal ones.
    fn frame(&mut self, exact: bool, order: &[Expr]) -> String {
        let (start, end) = *self.random.pick(&FRAMES);
        let number = |ty: &Type| matches!(ty, Type::Whole | Type::Double | Type::Decimal);
        let whole = matches!(order, [key] if number(&key.ty) && key.is_column());
        let bounds = |bound: &str| bound.starts_with(|c: char| c.is_ascii_digit());
        let bounded = bounds(start) || bounds(end);
        let words = match (exact, bounded && !whole) {
            (true, true) => *self.random.pick(&["ROWS", "GROUPS"]),
            (true, false) => *self.random.pick(&["ROWS", "RANGE", "GROUPS"]),
            (false, true) => "GROUPS",
            (false, false) => *self.random.pick(&["RANGE", "GROUPS"]),
        };
        if let ([key], "GROUPS", true) = (order, words, bounded)
            && matches!(key.ty, Type::Date | Type::Stamp)
            && key.is_column()
            && self.random.chance(0.5)
        {
            let days = |bound: &str| match bound.split_once(' ') {
                Some((number, side)) if bounds(number) => format!("INTERVAL '{number}' DAY {side}"),
                _ => bound.to_owned(),
            };
            return format!("RANGE BETWEEN {} AND {}", days(start), days(end));
        }
        format!("{words} BETWEEN {start} AND {end}")
    }
}
