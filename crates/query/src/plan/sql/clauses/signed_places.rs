//! Places with a query string, which may be a signature: it is hidden from plans and errors.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::execution::SessionState;
use datafusion::sql::sqlparser::ast::{ObjectName, ObjectNamePart, Statement, VisitorMut};

use crate::plan::sql::walk::WalkMut;
use crate::scan::ScanContext;
use crate::stores::Stores;

/// Puts numbers in place of the query strings in names of tables. The session's stores know them.
pub(in crate::plan::sql) fn hide(state: &SessionState, statement: &mut Statement) {
    if let Some(scan) = state.config().get_extension::<ScanContext>() {
        // the visitor never breaks
        _ = statement.walk_mut(&mut Places { stores: scan.stores.clone() });
    }
}

struct Places {
    stores: Arc<Stores>,
}

impl VisitorMut for Places {
    type Break = ();

    fn pre_visit_relation(&mut self, name: &mut ObjectName) -> ControlFlow<()> {
        for part in &mut name.0 {
            if let ObjectNamePart::Identifier(part) = part
                && part.value.contains('?')
            {
                part.value = self.stores.hide(&part.value).into_owned();
            }
        }
        ControlFlow::Continue(())
    }
}
