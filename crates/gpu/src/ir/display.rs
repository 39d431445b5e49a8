//! Text of pipelines for EXPLAIN, and for comments of the generated source.

use std::fmt::{self, Display, Formatter, Write};

use super::{
    Aggregate, Arithmetic, Comparison, DatePart, Expr, Into, Join, Kind, Literal, Operation, Order, Pipeline,
    Query, Reduction, Source, Step,
};

/// An expression with the names of the columns that it reads.
pub struct Shown<'a>(pub &'a Expr, pub &'a [String]);

fn symbol(op: Arithmetic) -> &'static str {
    match op {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Divide => "/",
        Arithmetic::Remainder => "%",
    }
}

fn sign(op: Comparison) -> &'static str {
    match op {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
        Comparison::NotDistinct => "IS NOT DISTINCT FROM",
        Comparison::Distinct => "IS DISTINCT FROM",
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Bool(value) => write!(f, "{value}"),
            Literal::Integer(value) => write!(f, "{value}"),
            Literal::Float(value) => write!(f, "{value:?}"),
            Literal::Text(text) => write!(f, "'{}'", String::from_utf8_lossy(text)),
        }
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let show = |e| Shown(e, self.1);
        match &self.0.kind {
            Kind::Column(index) => f.write_str(self.1.get(*index).map_or("?", String::as_str)),
            Kind::Literal(value) => write!(f, "{value}"),
            Kind::Null => f.write_str("NULL"),
            Kind::Subquery { table, .. } => write!(f, "(table {table})"),
            Kind::Arithmetic(op, a, b) => write!(f, "({} {} {})", show(a), symbol(*op), show(b)),
            Kind::Negate(a) => write!(f, "-{}", show(a)),
            Kind::Compare(op, a, b) => write!(f, "{} {} {}", show(a), sign(*op), show(b)),
            Kind::And(a, b) => write!(f, "{} AND {}", show(a), show(b)),
            Kind::Or(a, b) => write!(f, "({} OR {})", show(a), show(b)),
            Kind::Not(a) => write!(f, "NOT ({})", show(a)),
            Kind::IsNull(a) => write!(f, "{} IS NULL", show(a)),
            Kind::Is(value, a) => write!(f, "{} IS {value}", show(a)),
            Kind::Case(whens, otherwise) => {
                f.write_str("CASE")?;
                for (when, then) in whens {
                    write!(f, " WHEN {} THEN {}", show(when), show(then))?;
                }
                if let Some(otherwise) = otherwise {
                    write!(f, " ELSE {}", show(otherwise))?;
                }
                f.write_str(" END")
            }
            Kind::Cast(a) => write!(f, "CAST({} AS {})", show(a), self.0.data_type),
            Kind::InList { value, list, has_null } => {
                let mut all: Vec<String> = list.iter().map(ToString::to_string).collect();
                all.extend(has_null.then(|| "NULL".to_owned()));
                write!(f, "{} IN ({})", show(value), all.join(", "))
            }
            Kind::Like(a, pattern) => write!(f, "{} LIKE '{}'", show(a), String::from_utf8_lossy(pattern)),
            Kind::StartsWith(a, b) => write!(f, "starts_with({}, {})", show(a), show(b)),
            Kind::EndsWith(a, b) => write!(f, "ends_with({}, {})", show(a), show(b)),
            Kind::Contains(a, b) => write!(f, "contains({}, {})", show(a), show(b)),
            Kind::Substring(a, b, None) => write!(f, "substr({}, {})", show(a), show(b)),
            Kind::Substring(a, b, Some(c)) => write!(f, "substr({}, {}, {})", show(a), show(b), show(c)),
            Kind::CharacterLength(a) => write!(f, "character_length({})", show(a)),
            Kind::DatePart(part, a) => {
                let part = match part {
                    DatePart::Year => "YEAR",
                    DatePart::Quarter => "QUARTER",
                    DatePart::Month => "MONTH",
                    DatePart::Day => "DAY",
                };
                write!(f, "EXTRACT({part} FROM {})", show(a))
            }
            Kind::Absolute(a) => write!(f, "abs({})", show(a)),
            Kind::Coalesce(all) => {
                let all: Vec<String> = all.iter().map(|e| show(e).to_string()).collect();
                write!(f, "coalesce({})", all.join(", "))
            }
        }
    }
}

impl Query {
    /// Returns the names of a source's columns.
    pub fn source_names(&self, source: &Source) -> Vec<String> {
        match source {
            Source::Scan(scan) => self.scans[*scan].fields.iter().map(|field| field.name.clone()).collect(),
            Source::Table { table, .. } => self.table_names(*table),
            Source::Groups(groups) => {
                self.aggregates[*groups].fields().map(|field| field.name.clone()).collect()
            }
        }
    }

    fn table_names(&self, table: usize) -> Vec<String> {
        self.tables[table].fields.iter().map(|field| field.name.clone()).collect()
    }

    /// Describes a pipeline, a line for each step.
    pub fn describe(&self, pipeline: &Pipeline) -> Vec<String> {
        let mut lines = Vec::new();
        let mut names = self.source_names(&pipeline.source);
        lines.push(match &pipeline.source {
            Source::Scan(scan) => format!("scan {} [{}]", self.scans[*scan].name, names.join(", ")),
            Source::Groups(groups) => format!("groups {groups}"),
            Source::Table { table, marked, order, skip, fetch } => {
                let mut line = format!("table {table}");
                match marked {
                    Some(true) => line.push_str(", rows that matched"),
                    Some(false) => line.push_str(", rows that did not match"),
                    None => {}
                }
                if let Some(order) = order {
                    let _ = write!(line, ", in order {order}");
                }
                if *skip > 0 {
                    let _ = write!(line, ", from row {skip}");
                }
                if let Some(fetch) = fetch {
                    let _ = write!(line, ", {fetch} rows");
                }
                line
            }
        });
        for step in &pipeline.steps {
            lines.push(self.describe_step(step, &mut names));
        }
        lines.push(match pipeline.into {
            Into::Table(table) | Into::TableInOrder(table) => format!("into table {table}"),
            Into::Groups(groups) => describe_groups(groups, &self.aggregates[groups], &names),
            Into::Nowhere => "marks only".to_owned(),
        });
        lines
    }

    fn describe_step(&self, step: &Step, names: &mut Vec<String>) -> String {
        match step {
            Step::Filter(condition) => format!("filter {}", Shown(condition, names)),
            Step::Project(columns) => {
                let shown = |(field, e): &(super::Field, Expr)| match e.kind {
                    Kind::Column(_) => Shown(e, names).to_string(),
                    _ => format!("{} AS {}", Shown(e, names), field.name),
                };
                let line = format!("project {}", columns.iter().map(shown).collect::<Vec<_>>().join(", "));
                *names = columns.iter().map(|(field, _)| field.name.clone()).collect();
                line
            }
            Step::Probe { table, keys, join, residual, marks } => {
                let keys: Vec<String> = keys.iter().map(|key| Shown(key, names).to_string()).collect();
                let what = match join {
                    Join::Inner => "inner",
                    Join::Outer => "outer",
                    Join::Semi => "semi",
                    Join::Anti => "anti",
                    Join::Mark => "mark",
                    Join::MarkTable => "mark the table's",
                };
                let mut line = format!("probe table {table}, {what}, on [{}]", keys.join(", "));
                let mut both = names.clone();
                both.extend(self.table_names(*table));
                if let Some(residual) = residual {
                    let _ = write!(line, ", if {}", Shown(residual, &both));
                }
                if *marks {
                    line.push_str(", marking matches");
                }
                match join {
                    Join::Inner | Join::Outer => *names = both,
                    Join::Mark => names.push("mark".to_owned()),
                    Join::Semi | Join::Anti | Join::MarkTable => {}
                }
                line
            }
        }
    }

    fn describe_order(&self, order: &Order) -> String {
        let names = self.table_names(order.table);
        let keys = order.keys.iter().map(|(column, side)| {
            let direction = if side.descending { "DESC" } else { "ASC" };
            let nulls = if side.nulls_first { "FIRST" } else { "LAST" };
            format!("{} {direction} NULLS {nulls}", names[*column])
        });
        let keys: Vec<String> = keys.collect();
        let fetch = order.fetch.map(|n| format!(", first {n}")).unwrap_or_default();
        format!("sort table {} by {}{fetch}", order.table, keys.join(", "))
    }
}

fn describe_groups(number: usize, aggregate: &Aggregate, names: &[String]) -> String {
    let keys: Vec<String> = aggregate.keys.iter().map(|(_, key)| Shown(key, names).to_string()).collect();
    let states = aggregate.states.iter().map(|state| {
        let name = match state.reduction {
            Reduction::Sum => "sum",
            Reduction::Count => "count",
            Reduction::Minimum => "min",
            Reduction::Maximum => "max",
        };
        let value = state.value.as_ref().map_or("*".to_owned(), |value| Shown(value, names).to_string());
        let filter =
            state.filter.as_ref().map(|e| format!(" FILTER ({})", Shown(e, names))).unwrap_or_default();
        let distinct = if state.distinct.is_some() { "DISTINCT " } else { "" };
        format!("{name}({distinct}{value}){filter}")
    });
    let states: Vec<String> = states.collect();
    format!("into groups {number} by [{}]: {}", keys.join(", "), states.join(", "))
}

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut number = 0;
        for operation in &self.operations {
            match operation {
                Operation::Fill(fill) => {
                    for pipeline in &fill.pipelines {
                        writeln!(f, "pipeline {number}")?;
                        number += 1;
                        for line in self.describe(pipeline) {
                            writeln!(f, "  {line}")?;
                        }
                    }
                }
                Operation::Index(table) => writeln!(f, "index table {table}")?,
                Operation::Sort(order) => writeln!(f, "{}", self.describe_order(&self.orders[*order]))?,
            }
        }
        Ok(())
    }
}
