//! Random queries.

use pelton_random::Random;

use super::expression::{Class, Column, Expressions, ORDERED};
use super::tables::{COLUMNS, NAMES};

/// A query, with the rules for comparing its results.
#[derive(Debug, Clone)]
pub struct Generated {
    pub sql: String,
    /// Its rows come in a total order.
    pub ordered: bool,
    /// For each column: it depends on the order in which floats are added.
    pub rough: Vec<bool>,
}

/// Rows that a query can be over.
struct Source {
    from: String,
    columns: Vec<Column>,
}

/// Returns the columns of a table under an alias.
fn columns(alias: &str) -> Vec<Column> {
    let named = |(name, class): &(&str, Class)| Column { name: format!("{alias}.{name}"), class: *class };
    COLUMNS.iter().map(named).collect()
}

/// Either zero may stand for a group of both, and they have an order: groups of floats are not put
/// in one.
fn is_float(class: Class) -> bool {
    matches!(class, Class::Float | Class::Special)
}

/// Returns the query of a seed.
pub fn generate(seed: u64) -> Generated {
    Generator { random: Random::new(seed), aliases: 0 }.query()
}

struct Generator {
    random: Random,
    aliases: usize,
}

impl Generator {
    fn query(&mut self) -> Generated {
        match self.random.below(10) {
            0..=2 => self.plain(),
            3..=6 => self.grouped(),
            7 => self.distinct(),
            8 => self.union(),
            _ => self.whole(),
        }
    }

    fn expressions<'a>(&'a mut self, columns: &'a [Column]) -> Expressions<'a> {
        Expressions { random: &mut self.random, columns }
    }

    fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("t{}", self.aliases)
    }

    /// Returns a table, more of them for small queries' sake.
    fn table(&mut self) -> &'static str {
        let name: &&str = self.random.pick(&["big", "big", "mid", "mid", "few", "full", NAMES[4]]);
        name
    }

    /// Returns a table, a join, or a subquery.
    fn source(&mut self, depth: usize) -> Source {
        match self.random.below(if depth == 0 { 2 } else { 8 }) {
            0..=3 => {
                let alias = self.alias();
                Source { from: format!("{} AS {alias}", self.table()), columns: columns(&alias) }
            }
            4 => self.derived(depth - 1),
            _ => self.join(depth - 1),
        }
    }

    fn derived(&mut self, depth: usize) -> Source {
        let inner = self.source(depth);
        let alias = self.alias();
        let mut outputs = Vec::new();
        let mut made = Vec::new();
        for class in [Class::Integer, Class::Float, Class::Decimal, Class::Text, Class::Bool, Class::Date] {
            let expr = self.expressions(&inner.columns).of(class, 2);
            let name = format!("c{}", made.len());
            outputs.push(format!("{expr} AS {name}"));
            made.push(Column { name: format!("{alias}.{name}"), class });
        }
        let filter = self.filter(&inner.columns);
        let text = format!("(SELECT {} FROM {}{filter}) AS {alias}", outputs.join(", "), inner.from);
        Source { from: text, columns: made }
    }

    fn join(&mut self, depth: usize) -> Source {
        let (left, right) = (self.source(depth), self.source(0));
        let kind = *self.random.pick(&["JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN"]);
        let all: Vec<Column> = left.columns.iter().chain(&right.columns).cloned().collect();
        let from = match kind {
            // kept small: thirty rows at most on one side
            "CROSS JOIN" => {
                let alias = self.alias();
                let all = left.columns.iter().cloned().chain(columns(&alias)).collect();
                return Source { from: format!("{} CROSS JOIN few AS {alias}", left.from), columns: all };
            }
            _ => {
                let keys = self.keys(&left.columns, &right.columns);
                let residual = match self.random.chance(0.3) {
                    true => format!(" AND {}", self.expressions(&all).condition(1)),
                    false => String::new(),
                };
                format!("{} {kind} {} ON {keys}{residual}", left.from, right.from)
            }
        };
        Source { from, columns: all }
    }

    /// Returns one to three equalities of columns of the same class. The first is of such as have
    /// many values.
    fn keys(&mut self, left: &[Column], right: &[Column]) -> String {
        let count = 1 + self.random.below(3).min(self.random.below(3));
        let mut keys = Vec::new();
        for number in 0..count {
            let class = match number {
                0 => *self.random.pick(&[Class::Integer, Class::Decimal, Class::Text, Class::Date]),
                _ => *self.random.pick(&[
                    Class::Integer,
                    Class::Float,
                    Class::Special,
                    Class::Text,
                    Class::Timestamp,
                ]),
            };
            let name = match class {
                Class::Integer => *self.random.pick(&["id", "id", "i32", "k", "i64"]),
                Class::Float => "f64",
                Class::Special => "f32",
                Class::Decimal => *self.random.pick(&["d9", "d18", "d38"]),
                Class::Text => *self.random.pick(&["z", "s"]),
                Class::Date => "dt",
                _ => "ts",
            };
            let side = |columns: &[Column]| {
                let named = columns.iter().find(|column| column.name.ends_with(&format!(".{name}")));
                let of_class = columns.iter().find(|column| column.class == class);
                named.or(of_class).map(|column| column.name.clone())
            };
            let (Some(a), Some(b)) = (side(left), side(right)) else { continue };
            let sign = if self.random.chance(0.05) { "IS NOT DISTINCT FROM" } else { "=" };
            keys.push(format!("{a} {sign} {b}"));
        }
        if keys.is_empty() { format!("{} = {}", left[0].name, right[0].name) } else { keys.join(" AND ") }
    }

    /// WHERE with conditions, or nothing.
    fn filter(&mut self, columns: &[Column]) -> String {
        let mut all = Vec::new();
        while self.random.chance(0.45) && all.len() < 3 {
            let one = match self.random.below(6) {
                0 => self.exists(columns),
                1 => self.member(columns),
                2 => self.against_scalar(columns),
                _ => self.expressions(columns).condition(2),
            };
            all.push(one);
        }
        if all.is_empty() { String::new() } else { format!(" WHERE {}", all.join(" AND ")) }
    }

    fn exists(&mut self, outer: &[Column]) -> String {
        let alias = self.alias();
        let inner = columns(&alias);
        let (keys, table) = (self.keys(outer, &inner), self.table());
        let not = if self.random.chance(0.5) { "NOT " } else { "" };
        let residual = match self.random.chance(0.4) {
            true => format!(" AND {}", self.expressions(&inner).condition(1)),
            false => String::new(),
        };
        let across = match self.random.chance(0.2) {
            true => format!(" AND {}.n <> {}", alias, outer[0].name).replace("<>", "IS DISTINCT FROM"),
            false => String::new(),
        };
        let across = if outer[0].class == Class::Integer { across } else { String::new() };
        format!("{not}EXISTS (SELECT 1 FROM {table} AS {alias} WHERE {keys}{residual}{across})")
    }

    fn member(&mut self, outer: &[Column]) -> String {
        let alias = self.alias();
        let inner = columns(&alias);
        let class = *self.random.pick(&[Class::Integer, Class::Text, Class::Decimal]);
        let value = self.expressions(outer).of(class, 0);
        let (from, filter) = (self.expressions(&inner).of(class, 0), self.expressions(&inner).condition(1));
        let not = if self.random.chance(0.2) { "NOT " } else { "" };
        format!("{value} {not}IN (SELECT {from} FROM {} AS {alias} WHERE {filter})", self.table())
    }

    fn against_scalar(&mut self, outer: &[Column]) -> String {
        let alias = self.alias();
        let inner = columns(&alias);
        let class = *self.random.pick(&ORDERED);
        let (value, of) = (self.expressions(outer).of(class, 1), self.expressions(&inner).of(class, 1));
        let function = *self.random.pick(&["min", "max"]);
        let sign = *self.random.pick(&["<", "<=", ">", "=", "<>"]);
        let correlated = match self.random.chance(0.4) {
            true => format!(" WHERE {}", self.keys(outer, &inner)),
            false => String::new(),
        };
        format!("{value} {sign} (SELECT {function}({of}) FROM {} AS {alias}{correlated})", self.table())
    }

    /// ORDER BY all columns, so that nothing is left to chance, and perhaps LIMIT.
    fn order(&mut self, count: usize) -> String {
        let mut numbers: Vec<usize> = (1..=count).collect();
        for i in (1..numbers.len()).rev() {
            numbers.swap(i, self.random.below(i + 1));
        }
        let side = |number: usize, random: &mut Random| {
            let direction = random.pick(&["", " ASC", " DESC"]);
            let nulls = random.pick(&["", " NULLS FIRST", " NULLS LAST"]);
            format!("{number}{direction}{nulls}")
        };
        let keys: Vec<String> = numbers.into_iter().map(|number| side(number, &mut self.random)).collect();
        let limit = match self.random.below(3) {
            0 => format!(" LIMIT {}", self.random.below(40)),
            1 => format!(" LIMIT {} OFFSET {}", self.random.below(40), self.random.below(30)),
            _ => String::new(),
        };
        format!(" ORDER BY {}{limit}", keys.join(", "))
    }

    fn outputs(&mut self, columns: &[Column], classes: &[Class]) -> String {
        let one = |(number, class): (usize, &Class)| {
            format!("{} AS o{number}", self.expressions(columns).of(*class, 2))
        };
        classes.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
    }

    fn classes(&mut self, max: usize) -> Vec<Class> {
        let count = 1 + self.random.below(max);
        let all = [
            Class::Bool,
            ORDERED[0],
            ORDERED[0],
            ORDERED[1],
            ORDERED[2],
            ORDERED[3],
            ORDERED[4],
            ORDERED[5],
            ORDERED[5],
        ];
        (0..count).map(|_| *self.random.pick(&all)).collect()
    }

    fn plain(&mut self) -> Generated {
        let classes = self.classes(4);
        self.of_classes(&classes)
    }

    fn of_classes(&mut self, classes: &[Class]) -> Generated {
        let source = self.source(2);
        let (outputs, filter) = (self.outputs(&source.columns, classes), self.filter(&source.columns));
        let mut sql = format!("SELECT {outputs} FROM {}{filter}", source.from);
        let ordered = self.random.chance(0.5);
        if ordered {
            sql += &self.order(classes.len());
        }
        Generated { sql, ordered, rough: vec![false; classes.len()] }
    }

    fn distinct(&mut self) -> Generated {
        let mut classes = self.classes(4);
        classes.retain(|class| !is_float(*class));
        classes.push(Class::Integer);
        let made = self.of_classes(&classes);
        Generated { sql: made.sql.replacen("SELECT", "SELECT DISTINCT", 1), ..made }
    }

    fn union(&mut self) -> Generated {
        let classes = self.classes(3);
        let mut one = |_| {
            let source = self.source(1);
            let (outputs, filter) = (self.outputs(&source.columns, &classes), self.filter(&source.columns));
            format!("SELECT {outputs} FROM {}{filter}", source.from)
        };
        let sql = [0, 1].map(&mut one).join(" UNION ALL ");
        let rough = vec![false; classes.len()];
        match self.random.below(3) {
            0 => Generated { sql, ordered: false, rough },
            1 => Generated { sql: format!("{sql}{}", self.order(classes.len())), ordered: true, rough },
            _ => {
                let sql = format!("SELECT o0, count(*) AS many FROM ({sql}) AS u GROUP BY o0");
                Generated { sql, ordered: false, rough: vec![false; 2] }
            }
        }
    }

    /// Returns an aggregate function, and whether it depends on the order of rows, if only in a
    /// zero's sign.
    fn aggregate(&mut self, columns: &[Column]) -> (String, bool) {
        let class = *self.random.pick(&ORDERED);
        let number = *self.random.pick(&[Class::Integer, Class::Float, Class::Decimal]);
        let (text, rough) = match self.random.below(9) {
            0 => ("count(*)".to_owned(), false),
            1 => (format!("count({})", self.expressions(columns).of(class, 1)), false),
            2 | 3 => (format!("sum({})", self.expressions(columns).of(number, 1)), number == Class::Float),
            4 | 5 => {
                let value = self.expressions(columns).of(number, 1);
                // the extreme numbers would leave only rounding errors
                let value = if number == Class::Integer { format!("{value} % 1000") } else { value };
                (format!("avg({value})"), number != Class::Decimal)
            }
            6 => (format!("min({})", self.expressions(columns).of(class, 1)), class == Class::Float),
            _ => (format!("max({})", self.expressions(columns).of(class, 1)), class == Class::Float),
        };
        match self.random.chance(0.15) {
            true => (format!("{text} FILTER (WHERE {})", self.expressions(columns).condition(1)), rough),
            false => (text, rough),
        }
    }

    fn grouped(&mut self) -> Generated {
        let source = self.source(2);
        let (count, mut with_floats) = (self.random.below(4), false);
        let mut outputs = Vec::new();
        let mut rough = Vec::new();
        for number in 0..count {
            let class = *self.random.pick(&[
                Class::Bool,
                ORDERED[0],
                ORDERED[1],
                ORDERED[2],
                ORDERED[3],
                ORDERED[5],
                ORDERED[5],
            ]);
            with_floats |= is_float(class);
            let depth = self.random.below(2);
            outputs.push(format!("{} AS g{number}", self.expressions(&source.columns).of(class, depth)));
            rough.push(false);
        }
        if count > 0 && self.random.chance(0.1) {
            let class = *self.random.pick(&ORDERED);
            let value = self.expressions(&source.columns).of(class, 0);
            outputs.push(format!("count(DISTINCT {value}) AS a0"));
            rough.push(false);
        } else {
            for number in 0..1 + self.random.below(4) {
                let (text, is_rough) = self.aggregate(&source.columns);
                outputs.push(format!("{text} AS a{number}"));
                rough.push(is_rough);
            }
        }
        let filter = self.filter(&source.columns);
        let mut sql = format!("SELECT {} FROM {}{filter}", outputs.join(", "), source.from);
        if count > 0 {
            let numbers: Vec<String> = (1..=count).map(|number| number.to_string()).collect();
            sql += &format!(" GROUP BY {}", numbers.join(", "));
            if self.random.chance(0.2) {
                sql += &format!(" HAVING count(*) > {}", self.random.below(4));
            }
        }
        let ordered = count > 0 && !with_floats && self.random.chance(0.4) && !rough.contains(&true);
        if ordered {
            sql += &self.order(rough.len());
        }
        Generated { sql, ordered, rough }
    }

    /// Whole columns of one table, in order.
    fn whole(&mut self) -> Generated {
        let (table, filter) = (self.table(), self.filter(&columns("t")));
        let count = COLUMNS.len();
        let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
        let sql = format!("SELECT {} FROM {table} AS t{filter}{}", names.join(", "), self.order(count));
        Generated { sql, ordered: true, rough: vec![false; count] }
    }
}
