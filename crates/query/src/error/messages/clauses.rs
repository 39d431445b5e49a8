//! Errors about the clauses of a query, its columns and their fields, in the terms of SQL.

use super::{between, in_sql};

/// Explains a number in ORDER BY or GROUP BY that is that of no column.
pub(super) fn position(text: &str) -> Option<String> {
    if text.starts_with("Order by index starts at 1 for column indexes") {
        return Some("ORDER BY 0 is the place of no column: the first is 1".to_owned());
    }
    let (clause, number, last) = match text.strip_prefix("Order by column out of bounds, specified: ") {
        Some(rest) => {
            let (number, last) = rest.split_once(", max: ")?;
            ("ORDER BY", number, last)
        }
        None => {
            let rest = text.strip_prefix("Cannot find column with position ")?;
            let (number, rest) = rest.split_once(" in SELECT clause. Valid columns: ")?;
            ("GROUP BY", number, rest.split_once(" to ")?.1)
        }
    };
    if number == "0" {
        return Some(format!("{clause} 0 is the place of no column: the first is 1"));
    }
    let places = if last == "1" { "1".to_owned() } else { format!("a number from 1 to {last}") };
    Some(format!("{clause} {number} is the place of no column: write {places}, or a name"))
}

/// Explains a key of ORDER BY that a SELECT DISTINCT leaves out.
pub(super) fn sorted_distinct(text: &str) -> Option<String> {
    let rest = text.strip_prefix("For SELECT DISTINCT, ORDER BY expressions ")?;
    let key = in_sql(rest.strip_suffix(" must appear in select list")?);
    Some(format!("SELECT DISTINCT sorts by its own columns alone: add {key} to SELECT, or write GROUP BY"))
}

/// Explains a column that is neither a key nor in an aggregate.
pub(super) fn ungrouped(text: &str) -> Option<String> {
    let rest = text.strip_prefix("Column in ")?;
    let (clause, rest) = rest.split_once(" must be in GROUP BY or an aggregate function: ")?;
    let name = between(rest, "column \"", "\" must appear in the GROUP BY clause")?;
    let name = in_sql(name);
    Some(format!("{name} in {clause} must be in GROUP BY, or in an aggregate such as any_value({name})"))
}

/// Explains a distance in the frame of a window that is no constant, or that the key has none.
pub(super) fn frame(text: &str) -> Option<String> {
    if let Some(data_type) = text.strip_prefix("Cannot run range queries on datatype: ") {
        return Some(format!(
            "{} has no distances in the frame of a window: write ROWS or GROUPS, or ORDER BY a number, \
             a date or a timestamp",
            in_sql(data_type)
        ));
    }
    let is_distance = text.contains("INTERVAL expression cannot be ")
        || text.contains("frame offsets for RANGE must be either a numeric value");
    is_distance.then(|| {
        "a distance in the frame of a window is a constant: write 3 PRECEDING or INTERVAL 1 DAY PRECEDING"
            .to_owned()
    })
}

/// Explains a LIMIT or OFFSET that is no number.
pub(super) fn limit(text: &str) -> Option<String> {
    if let Some((clause, found)) =
        text.strip_prefix("Expected ").and_then(|rest| rest.split_once(" to be an integer or null, but got "))
    {
        return Some(format!(
            "{clause} takes a whole number, and not a {}: write {clause} 10",
            in_sql(found)
        ));
    }
    let (clause, _) = text.strip_prefix("Unsupported ")?.split_once(" expression: ")?;
    ["LIMIT", "OFFSET"].contains(&clause).then(|| format!("{clause} takes a number, and no query"))
}

/// Explains a window function in an aggregate.
pub(super) fn window(text: &str) -> Option<String> {
    text.starts_with("Aggregate function calls cannot contain window function calls").then(|| {
        "an aggregate can't contain a window function: compute it in a subquery, (SELECT ... OVER () AS w)"
            .to_owned()
    })
}

/// Explains an expression in a place where none of its kind is computed.
pub(super) fn unplanned(text: &str) -> Option<String> {
    let expression = text.strip_prefix("Physical plan does not support logical expression ")?;
    let kind = expression.split(|part: char| !part.is_ascii_alphanumeric()).next().unwrap_or_default();
    let what = match kind {
        "WindowFunction" => return Some(
            "a window function stands in SELECT and ORDER BY: write QUALIFY for a condition, or a subquery"
                .to_owned(),
        ),
        "AggregateFunction" => "an aggregate",
        "Wildcard" => {
            return Some(
                "* stands for columns, and for no value: write count(*), or name a column".to_owned(),
            );
        }
        "OuterReferenceColumn" => "a column of the outer query",
        _ => return Some(format!("{kind} is not supported in this place: write a subquery")),
    };
    Some(format!("{what} is not supported in this place: write a subquery"))
}

/// Explains rows of VALUES with unequal counts of columns.
pub(super) fn rows_of_values(text: &str) -> Option<String> {
    let rest = text.strip_prefix("Inconsistent data length across values list: got ")?;
    let (found, rest) = rest.split_once(" values in row ")?;
    let (row, expected) = rest.split_once(" but expected ")?;
    let row = row.parse::<usize>().ok()? + 1;
    Some(format!("row {row} of VALUES has {found} values, and the first {expected}: write as many in each"))
}

/// Explains an alias of a table with another count of names than the table has columns.
pub(super) fn names_of_columns(text: &str) -> Option<String> {
    let rest = text.strip_prefix("Source table contains ")?;
    let (columns, rest) = rest.split_once(" columns but only ")?;
    let names = rest.strip_suffix(" names given as column alias")?;
    Some(format!("there are {columns} columns, and {names} names for them: write as many names as columns"))
}

/// Explains a name that several tables have.
pub(super) fn ambiguous(text: &str) -> Option<String> {
    let name = text
        .strip_prefix("Schema error: ")
        .unwrap_or(text)
        .strip_prefix("Ambiguous reference to unqualified field ")?;
    Some(format!("several tables have a column {name}: write the table's name in front, t.{name}"))
}

/// Explains a condition of a join that is none.
pub(super) fn join_condition(text: &str) -> Option<String> {
    let found = text.strip_prefix("Join condition must be boolean type, but got ")?;
    Some(format!("ON takes a condition, and not a {}: compare two columns", in_sql(found)))
}

/// Explains a subquery of several columns where one is needed.
pub(super) fn columns_of_subquery(text: &str) -> Option<String> {
    let columns = text.strip_prefix("Too many columns! The subquery should only return one column: ")?;
    Some(format!(
        "a subquery in an expression has one column, and this one has {}: select one",
        in_sql(columns)
    ))
}

/// Explains a condition that is no truth value.
pub(super) fn condition(text: &str) -> Option<String> {
    let (expression, found) = text
        .strip_prefix("Cannot create filter with non-boolean predicate '")?
        .rsplit_once("' returning ")?;
    let (expression, found) = (in_sql(expression), in_sql(found));
    Some(format!("{expression} is a {found}, and no condition: compare it with a value"))
}

/// Explains a field access on a value without fields.
pub(super) fn no_fields(text: &str) -> Option<String> {
    let found = text.strip_prefix("Cannot access field at argument ")?;
    let found = between(found, ": type ", " is not Struct")?;
    if found.starts_with("List") {
        return Some(format!("{} has no fields: an element has a number, l[1] for the first", in_sql(found)));
    }
    Some(format!("{} has no fields: a name behind a point is a field of a STRUCT", in_sql(found)))
}

/// Explains a field access on an expression in parentheses.
pub(super) fn field(text: &str) -> Option<String> {
    let found = text.strip_prefix("Dot access not supported for non-string expr: ")?;
    let name = between(found, "value: \"", "\"")?;
    Some(format!("(...).{name} is not supported: write (...)['{name}']"))
}

/// Explains a field that a struct lacks, and `unnest` of other values.
pub(super) fn element(text: &str) -> Option<String> {
    if text.starts_with("unnest() can only be applied to ") {
        return Some("unnest takes a list or a STRUCT: write unnest([1, 2])".to_owned());
    }
    let field = text.strip_prefix("Field ")?.strip_suffix(" not found in struct")?;
    Some(format!("the STRUCT has no field {field}: DESCRIBE shows the fields"))
}

/// Explains a `*` that stands for no columns.
pub(super) fn star(text: &str) -> Option<String> {
    if text == "SELECT * with no tables specified is not valid" {
        return Some("* stands for the columns of FROM, and there is none: write SELECT * FROM t".to_owned());
    }
    let table = text.strip_prefix("Invalid qualifier ")?;
    Some(format!(
        "there is no table {table} in FROM, whose columns {table}.* stands for: write a table's name or alias"
    ))
}

/// Explains two keys or columns of one name.
pub(super) fn same_name(text: &str) -> Option<String> {
    let name = text.strip_prefix("Schema contains duplicate unqualified field name \"")?.strip_suffix('"')?;
    Some(format!("two columns have the name {}: write AS with another name behind one", in_sql(name)))
}

/// Explains FETCH.
pub(super) fn fetch(text: &str) -> Option<String> {
    text.starts_with("FETCH clause is not supported")
        .then(|| "FETCH is not supported: write LIMIT 10 for the first ten rows".to_owned())
}
