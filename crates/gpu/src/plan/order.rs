//! ORDER BY, LIMIT and UNION: nodes that order, cut or append rows.

use std::sync::Arc;

use datafusion::logical_expr::{LogicalPlan, SortExpr};

use super::lower::{Lowering, identity, named};
use super::rows::{Rows, Scope};
use crate::ir::{Kind, Operation, Order, Side, Source, Step};

impl Lowering {
    pub(super) fn sort(
        &mut self,
        plan: &LogicalPlan,
        input: &LogicalPlan,
        by: &[SortExpr],
        fetch: Option<usize>,
    ) -> Rows {
        let mut rows = self.rows(input);
        let visible = rows.fields.len();
        let scope = Scope { schema: input.schema(), fields: &rows.fields.clone() };
        let mut columns = identity(&rows.fields);
        let mut keys = Vec::with_capacity(by.len());
        for sort in by {
            let side = Side { descending: !sort.asc, nulls_first: sort.nulls_first };
            let key = self.of(plan, &sort.expr, scope);
            match key.kind {
                Kind::Column(column) => keys.push((column, side)),
                _ => {
                    keys.push((columns.len(), side));
                    columns.push((named("sort key", &key), key));
                }
            }
        }
        if columns.len() > visible {
            rows.fields = columns.iter().map(|(field, _)| field.clone()).collect();
            rows.push(&Step::Project(columns));
        }
        let (expected, base, fields) = (rows.expected, rows.base, rows.fields[..visible].to_vec());
        let table = self.keep(rows, None);
        let order = self.query.orders.len();
        self.query.orders.push(Order { table, keys, fetch: fetch.map(|n| n as u64) });
        self.query.operations.push(Operation::Sort(order));
        let source = Source::Table {
            table,
            marked: None,
            order: Some(order),
            skip: 0,
            fetch: fetch.map(|n| n as u64),
        };
        let steps = vec![Step::Project(identity(&fields))];
        Rows { branches: vec![(source, steps)], fields, expected, base, ordered: true }
    }

    pub(super) fn limit(&mut self, input: &LogicalPlan, skip: usize, fetch: Option<usize>) -> Rows {
        let rows = self.rows(input);
        let (skip, fetch) = (skip as u64, fetch.map(|n| n as u64));
        let (base, fields, ordered) = (rows.base, rows.fields.clone(), rows.ordered);
        let expected = fetch.map_or(rows.expected, |n| rows.expected.min(n as f64));
        // The rows of a sort are cut where they are read. Others have to be counted first, so they
        // go to a table.
        if let [(Source::Table { skip: 0, fetch: inner, .. }, steps)] = rows.branches.as_slice()
            && rows.ordered
            && steps.iter().all(|step| matches!(step, Step::Project(_)))
        {
            let inner = inner.map(|n| n.saturating_sub(skip));
            let wanted = [fetch, inner].into_iter().flatten().min();
            let mut rows = rows.clone();
            if let Source::Table { skip: from, fetch: count, .. } = &mut rows.branches[0].0 {
                (*from, *count) = (skip, wanted);
            }
            return Rows { expected, ..rows };
        }
        let table = self.keep(rows, None);
        let source = Source::Table { table, marked: None, order: None, skip, fetch };
        Rows { branches: vec![(source, Vec::new())], fields, expected, base, ordered }
    }

    pub(super) fn union(&mut self, plan: &LogicalPlan, inputs: &[Arc<LogicalPlan>]) -> Rows {
        let mut fields = self.fields(plan, plan.schema());
        let inputs: Vec<Rows> = inputs.iter().map(|input| self.rows(input)).collect();
        for input in &inputs {
            for (field, of_input) in fields.iter_mut().zip(&input.fields) {
                field.nullable |= of_input.nullable;
                if field.data_type != of_input.data_type {
                    let why = format!("UNION of {} and {}", field.data_type, of_input.data_type);
                    self.note_unsupported(plan, why);
                }
            }
        }
        let (expected, base) =
            inputs.iter().fold((0.0, 0.0), |(e, b), rows| (e + rows.expected, b + rows.base));
        let branches = inputs.into_iter().flat_map(|rows| rows.branches).collect();
        Rows { branches, fields, expected, base, ordered: false }
    }
}
