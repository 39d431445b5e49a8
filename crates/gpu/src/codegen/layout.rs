//! How tables and groups lie in a kernel's parameters: structs of 64-bit words, which the host
//! fills in the same order.

use std::fmt::Write;

use crate::ir::{Field, Query};

/// Words of `Table` and of `Groups`, which come in front of columns.
pub(crate) const HEADER_WORDS: usize = 10;

/// `T3`: a table's own words, then for each column its values and, if it can be null, its valid
/// flags.
pub(super) fn table(query: &Query, number: usize) -> String {
    let fields = query.tables[number].fields.iter();
    structure(&format!("T{number}"), "Table t", fields)
}

/// `A3`: the same for groups.
pub(super) fn groups(query: &Query, number: usize) -> String {
    structure(&format!("A{number}"), "Groups g", query.aggregates[number].fields())
}

fn structure<'a>(name: &str, head: &str, fields: impl Iterator<Item = &'a Field>) -> String {
    let mut out = format!("struct {name} {{\n    {head};\n");
    for (column, field) in fields.enumerate() {
        let label = comment(&field.name);
        let _ = writeln!(out, "    {}* c{column};  // {label}", field.scalar.name());
        if field.nullable {
            let _ = writeln!(out, "    u8* n{column};");
        }
    }
    out.push_str("};\n\n");
    out
}

/// Text of a user's that can stand in a line comment.
pub(super) fn comment(text: &str) -> String {
    let safe = |c: char| if c.is_control() || c == '\\' { ' ' } else { c };
    text.chars().map(safe).collect()
}
