//! The column of `range` and `generate_series` by the name of the function.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Ident, Statement, TableAlias, TableAliasColumnDef, TableFactor, VisitorMut,
};

use crate::plan::sql::walk::WalkMut;

/// Names the column of each such function in FROM that has no alias after the function, if that is
/// the name that is missing. Returns whether there was one.
pub(in crate::plan::sql) fn name(statement: &mut Statement, missing: &str) -> bool {
    if !["range", "generate_series"].contains(&missing) {
        return false;
    }
    let mut give = Give { missing, is_changed: false };
    let _ = statement.walk_mut(&mut give);
    give.is_changed
}

struct Give<'a> {
    missing: &'a str,
    is_changed: bool,
}

impl VisitorMut for Give<'_> {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name, alias: alias @ None, args: Some(_), .. } = factor
            && name.to_string().eq_ignore_ascii_case(self.missing)
        {
            let named = Ident::new(self.missing);
            let column = TableAliasColumnDef { name: named.clone(), data_type: None };
            *alias = Some(TableAlias { explicit: true, name: named, columns: vec![column], at: None });
            self.is_changed = true;
        }
        ControlFlow::Continue(())
    }
}
