//! Joins, with the choice of the side that becomes a table.

use datafusion::common::{DFSchema, JoinType, NullEquality};
use datafusion::logical_expr::{Join as LogicalJoin, LogicalPlan};

use super::lower::{Lowering, column, identity, named};
use super::rows::{Rows, Scope};
use crate::ir::{Expr, Field, Join, Kind, Operation, Source, Step};

/// Ratio of rows from which on the table is built from the smaller side even if its rows are the
/// ones to return. Their matches are then marked, which costs another pass over the table and an
/// atomic operation for each match.
const MARKING_PAYS: f64 = 2.0;

/// Share of rows that semi and anti joins keep, without other knowledge.
const SEMI_SHARE: f64 = 0.5;

/// One input of a join.
struct Input {
    rows: Rows,
    keys: Vec<Expr>,
}

/// Conditions of a join, for either choice of sides.
struct Condition {
    /// Condition over the left columns and then the right ones.
    residual: Option<Expr>,
    nulls_match: bool,
    left_width: usize,
}

impl Lowering {
    /// Returns the rows of a join.
    pub(super) fn join(&mut self, plan: &LogicalPlan, join: &LogicalJoin) -> Rows {
        let (left, right) = (self.rows(&join.left), self.rows(&join.right));
        if join.null_aware {
            self.note_unsupported(plan, "NOT IN over a column that can be null is not supported".to_owned());
        }
        let mut side = |rows: Rows, schema: &DFSchema, is_left: bool| {
            let scope = Scope { schema, fields: &rows.fields };
            let keys =
                join.on.iter().map(|(l, r)| self.of(plan, if is_left { l } else { r }, scope)).collect();
            Input { rows, keys }
        };
        let left = side(left, join.left.schema(), true);
        let right = side(right, join.right.schema(), false);
        for (l, r) in left.keys.iter().zip(&right.keys) {
            if l.scalar != r.scalar {
                self.note_unsupported(plan, format!("keys of type {} and {}", l.data_type, r.data_type));
            }
        }
        let condition = Condition {
            residual: self.residual(plan, join, &left.rows, &right.rows),
            nulls_match: join.null_equality == NullEquality::NullEqualsNull,
            left_width: left.rows.fields.len(),
        };
        let larger = |a: &Input, b: &Input| a.rows.expected > MARKING_PAYS * b.rows.expected;
        match join.join_type {
            JoinType::Inner if left.rows.expected < right.rows.expected => {
                self.probe(right, left, Join::Inner, false, &condition)
            }
            JoinType::Inner => self.probe(left, right, Join::Inner, true, &condition),
            JoinType::Left if larger(&right, &left) => self.outer(right, left, false, &condition),
            JoinType::Left => self.probe(left, right, Join::Outer, true, &condition),
            JoinType::Right if larger(&left, &right) => self.outer(left, right, true, &condition),
            JoinType::Right => self.probe(right, left, Join::Outer, false, &condition),
            JoinType::Full => self.full(left, right, &condition),
            JoinType::LeftSemi if larger(&right, &left) => self.marked(right, left, true, false, &condition),
            JoinType::LeftSemi => self.probe(left, right, Join::Semi, true, &condition),
            JoinType::RightSemi if larger(&left, &right) => self.marked(left, right, true, true, &condition),
            JoinType::RightSemi => self.probe(right, left, Join::Semi, false, &condition),
            JoinType::LeftAnti if larger(&right, &left) => self.marked(right, left, false, false, &condition),
            JoinType::LeftAnti => self.probe(left, right, Join::Anti, true, &condition),
            JoinType::RightAnti if larger(&left, &right) => self.marked(left, right, false, true, &condition),
            JoinType::RightAnti => self.probe(right, left, Join::Anti, false, &condition),
            JoinType::LeftMark => self.probe(left, right, Join::Mark, true, &condition),
            JoinType::RightMark => self.probe(right, left, Join::Mark, false, &condition),
        }
    }

    fn residual(
        &mut self,
        plan: &LogicalPlan,
        join: &LogicalJoin,
        left: &Rows,
        right: &Rows,
    ) -> Option<Expr> {
        let filter = join.filter.as_ref()?;
        let schema = match join.left.schema().join(join.right.schema()) {
            Ok(schema) => schema,
            Err(error) => {
                self.note_unsupported(plan, error.to_string());
                return None;
            }
        };
        let fields = [left.fields.as_slice(), right.fields.as_slice()].concat();
        Some(self.of(plan, filter, Scope { schema: &schema, fields: &fields }))
    }

    /// Ends an input in a table with its keys for look-ups.
    fn build(&mut self, input: Input, marks: bool, nulls_match: bool) -> usize {
        let Input { mut rows, keys } = input;
        let mut columns = identity(&rows.fields);
        let numbers = keys.into_iter().map(|key| match key.kind {
            Kind::Column(number) => number,
            _ => {
                columns.push((named("join key", &key), key));
                columns.len() - 1
            }
        });
        let numbers: Vec<usize> = numbers.collect();
        if columns.len() > rows.fields.len() {
            rows.fields = columns.iter().map(|(field, _)| field.clone()).collect();
            rows.push(&Step::Project(columns));
        }
        rows.ordered = false;
        let keyed = (!numbers.is_empty()).then_some(numbers);
        let index = keyed.is_some();
        let table = self.keep(rows, keyed);
        self.query.tables[table].nulls_match = nulls_match;
        self.query.tables[table].marks = marks;
        if index {
            self.query.operations.push(Operation::Index(table));
        }
        table
    }

    /// Looks one side's keys up in a table of the other. `left_probes`: the first argument is the
    /// plan's left input.
    fn probe(
        &mut self,
        probe: Input,
        build: Input,
        join: Join,
        left_probes: bool,
        condition: &Condition,
    ) -> Rows {
        let (share, build_fields) = (build.rows.share(), build.rows.fields.clone());
        let keyless = probe.keys.is_empty();
        let many = build.rows.expected;
        let table = self.build(build, false, condition.nulls_match);
        self.probe_table(probe, table, &build_fields, join, left_probes, condition, |expected| match join {
            Join::Inner if keyless => expected * many,
            Join::Outer | Join::Mark | Join::MarkTable => expected,
            Join::Inner => expected * share,
            Join::Semi | Join::Anti => expected * SEMI_SHARE,
        })
    }

    #[expect(clippy::too_many_arguments, reason = "each is a fact of its own about one join")]
    fn probe_table(
        &mut self,
        probe: Input,
        table: usize,
        build_fields: &[Field],
        join: Join,
        left_probes: bool,
        condition: &Condition,
        expect: impl Fn(f64) -> f64,
    ) -> Rows {
        let Input { mut rows, keys } = probe;
        let width = rows.fields.len();
        let residual = condition.over(left_probes, width);
        let marks = self.query.tables[table].marks;
        rows.push(&Step::Probe { table, keys, join, residual, marks });
        rows.expected = expect(rows.expected).max(1.0);
        rows.ordered = false;
        match join {
            Join::Inner | Join::Outer => {
                let outer = join == Join::Outer;
                let other = build_fields.iter().map(|f| Field { nullable: f.nullable || outer, ..f.clone() });
                let mut all: Vec<(Field, Expr)> = identity(&rows.fields);
                let others: Vec<(Field, Expr)> =
                    other.enumerate().map(|(i, f)| (f.clone(), column(width + i, &f))).collect();
                if left_probes {
                    all.extend(others);
                } else {
                    all.splice(0..0, others);
                }
                rows.fields = all.iter().map(|(field, _)| field.clone()).collect();
                rows.push(&Step::Project(all));
            }
            Join::Mark => {
                let mark = Expr::boolean(Kind::Column(width), false);
                rows.fields.push(named("mark", &mark));
            }
            Join::Semi | Join::Anti | Join::MarkTable => {}
        }
        rows
    }

    /// Outer join with the preserved side as its table: the other side's rows with their matches,
    /// then the table's rows without any. `left_probes` as for `probe`.
    fn outer(&mut self, probe: Input, build: Input, left_probes: bool, condition: &Condition) -> Rows {
        let (build_fields, probe_fields) = (build.rows.fields.clone(), probe.rows.fields.clone());
        let kept = build.rows.expected;
        let table = self.build(build, true, condition.nulls_match);
        let rows =
            self.probe_table(probe, table, &build_fields, Join::Inner, left_probes, condition, |n| n + kept);
        self.with_unmatched(rows, table, &build_fields, &probe_fields, left_probes)
    }

    fn full(&mut self, left: Input, right: Input, condition: &Condition) -> Rows {
        let (build_fields, probe_fields) = (right.rows.fields.clone(), left.rows.fields.clone());
        let kept = right.rows.expected;
        let table = self.build(right, true, condition.nulls_match);
        let rows = self.probe_table(left, table, &build_fields, Join::Outer, true, condition, |n| n + kept);
        self.with_unmatched(rows, table, &build_fields, &probe_fields, true)
    }

    /// Appends the table's unmatched rows, with nulls for the probe's columns.
    fn with_unmatched(
        &mut self,
        mut rows: Rows,
        table: usize,
        build: &[Field],
        probe: &[Field],
        left_probes: bool,
    ) -> Rows {
        let nulls = probe.iter().map(|field| {
            let field = Field { nullable: true, ..field.clone() };
            let null = Expr { kind: Kind::Null, ..column(0, &field) };
            (field, null)
        });
        let own = identity(build);
        let all: Vec<(Field, Expr)> =
            if left_probes { nulls.chain(own).collect() } else { own.into_iter().chain(nulls).collect() };
        for (field, (other, _)) in rows.fields.iter_mut().zip(&all) {
            field.nullable |= other.nullable;
        }
        let source = Source::Table { table, marked: Some(false), order: None, skip: 0, fetch: None };
        rows.branches.push((source, vec![Step::Project(all)]));
        rows
    }

    /// Semi or anti join (`wanted`: rows with a match) with the preserved side as its table.
    fn marked(
        &mut self,
        probe: Input,
        build: Input,
        wanted: bool,
        left_probes: bool,
        condition: &Condition,
    ) -> Rows {
        let fields = build.rows.fields.clone();
        let (expected, base) = (build.rows.expected * SEMI_SHARE, build.rows.base);
        let table = self.build(build, true, condition.nulls_match);
        let marks =
            self.probe_table(probe, table, &fields, Join::MarkTable, left_probes, condition, |expected| {
                expected
            });
        self.mark(marks);
        let source = Source::Table { table, marked: Some(wanted), order: None, skip: 0, fetch: None };
        let steps = vec![Step::Project(identity(&fields))];
        Rows { branches: vec![(source, steps)], fields, expected, base, ordered: false }
    }
}

impl Condition {
    /// Returns the residual over the probe's columns and then the table's, which may have more
    /// columns than its input had.
    fn over(&self, left_probes: bool, probe_width: usize) -> Option<Expr> {
        let mut residual = self.residual.clone()?;
        let place = |index: usize| match (left_probes, index < self.left_width) {
            (true, true) => index,
            (true, false) => probe_width + index - self.left_width,
            (false, true) => probe_width + index,
            (false, false) => index - self.left_width,
        };
        residual.renumber(&place);
        Some(residual)
    }
}
