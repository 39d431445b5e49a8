//! DROP TABLE and DROP VIEW.

use std::sync::Arc;

use datafusion::sql::sqlparser::ast::{ObjectType, Statement as SqlStatement};

use crate::error::{Error, Result};
use crate::plan::catalog::{Catalog, missing};
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;
use crate::plan::session::Session;
use crate::plan::statement::unsupported;

/// Plans DROP.
///
/// # Errors
/// Neither tables nor views are dropped, or the name is a place of files.
pub(in crate::plan::statement) fn plan(session: &Session, statement: SqlStatement) -> Result<Plan> {
    let (kind, names, if_exists) = match &statement {
        SqlStatement::Drop { object_type: ObjectType::Table, names, if_exists, .. } => {
            ("TABLE", names, *if_exists)
        }
        SqlStatement::Drop { object_type: ObjectType::View, names, if_exists, .. } => {
            ("VIEW", names, *if_exists)
        }
        other => return Err(unsupported::error(other)),
    };
    let names = names.iter().map(super::name).collect::<Result<Vec<_>>>()?;
    let catalog = session.catalog.clone();
    let label = format!("DROP {kind} {}", names.join(", "));
    Ok(Arc::new(RowsExec::effect(&label, move || {
        // all of them or none
        for name in &names {
            check(&catalog, name, kind, if_exists)?;
        }
        names.iter().for_each(|name| drop(catalog.remove(name)));
        Ok(())
    })))
}

fn check(catalog: &Catalog, name: &str, kind: &str, if_exists: bool) -> Result<()> {
    match catalog.current(name) {
        None if if_exists => Ok(()),
        None => Err(missing(name)),
        Some(entry) if entry.kind() == kind => Ok(()),
        Some(entry) => {
            let other = entry.kind();
            Err(Error::Query(format!("{name} is a {}: write DROP {other} {name}", other.to_lowercase())))
        }
    }
}
