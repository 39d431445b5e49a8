//! Scans of files.

use std::any::Any;
use std::sync::Arc;

use arrow::datatypes::Schema;
use datafusion::catalog::TableProvider;
use datafusion::common::DFSchema;
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::{LogicalPlan, TableScan};
use pelton_query::PeltonTable;

use super::lower::{Lowering, identity};
use super::rows::{Rows, Scope, table_rows};
use crate::ir::{Field, Scalar, Scan, Source, Step};
use crate::window;

impl Lowering {
    /// Returns the rows of a table that pass its conditions.
    pub(super) fn scan(&mut self, plan: &LogicalPlan, scan: &TableScan) -> Rows {
        match self.open(plan, scan) {
            Ok(rows) => rows,
            Err(why) => {
                self.note_unsupported(plan, why);
                let fields = self.fields(plan, plan.schema());
                Rows { branches: Vec::new(), fields, expected: 1.0, base: 1.0, ordered: false }
            }
        }
    }

    fn open(&mut self, plan: &LogicalPlan, scan: &TableScan) -> Result<Rows, String> {
        let provider = source_as_provider(&scan.source).map_err(|error| error.to_string())?;
        let any: &dyn Any = provider.as_ref();
        let Some(table) = any.downcast_ref::<PeltonTable>().cloned().map(Arc::new) else {
            return Err(format!("{} is no table of Parquet files", scan.table_name));
        };
        if !table.files().is_uniform() {
            return Err(format!("{} has columns that differ between its files", scan.table_name));
        }
        let schema = table.schema();
        let all = || (0..schema.fields().len()).collect();
        let mut columns: Vec<usize> = scan.projection.clone().unwrap_or_else(all);
        let width = columns.len();
        for filter in &scan.filters {
            for column in filter.column_refs() {
                let index = schema.index_of(&column.name).map_err(|error| error.to_string())?;
                if !columns.contains(&index) {
                    columns.push(index);
                }
            }
        }
        let fields = columns.iter().map(|&index| {
            let field = schema.field(index);
            let why = |why: String| format!("column {}: {why}", field.name());
            let scalar = Scalar::of(field.data_type()).map_err(why)?;
            for file in &table.files().files {
                // a column that is not in the files has the value of a partition
                if let Some(column) = file.column(index) {
                    let leaf = window::leaf_of(&file.file, column).map_err(why)?;
                    window::supports(&file.file, leaf).map_err(why)?;
                }
            }
            Ok(Field {
                name: field.name().clone(),
                data_type: field.data_type().clone(),
                scalar,
                nullable: field.is_nullable(),
            })
        });
        let fields: Vec<Field> = fields.collect::<Result<_, String>>()?;
        let read = Schema::new(columns.iter().map(|&index| schema.field(index).clone()).collect::<Vec<_>>());
        let names = DFSchema::try_from_qualified_schema(scan.table_name.clone(), &read)
            .map_err(|error| error.to_string())?;
        let base = table_rows(&table);
        let number = self.query.scans.len();
        self.query.scans.push(Scan {
            name: scan.table_name.to_string(),
            table,
            columns,
            fields: fields.clone(),
            conditions: scan.filters.clone(),
        });
        let branches = vec![(Source::Scan(number), Vec::new())];
        let mut rows = Rows { branches, fields: fields.clone(), expected: base, base, ordered: false };
        for filter in &scan.filters {
            let condition = self.of(plan, filter, Scope { schema: &names, fields: &fields });
            self.filter(&mut rows, condition);
        }
        if width < fields.len() {
            rows.fields.truncate(width);
            rows.push(&Step::Project(identity(&rows.fields.clone())));
        }
        Ok(rows)
    }
}
