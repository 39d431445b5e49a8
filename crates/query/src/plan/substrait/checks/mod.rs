//! Walk over a plan that collects all that it needs and Pelton lacks, before it is planned.

mod order;
mod values;

use std::collections::BTreeSet;

use datafusion::execution::SessionState;
use prost_reflect::{DynamicMessage, ReflectMessage, Value};

use crate::error::{Error, Result};
use crate::plan::substrait::functions::{Functions, Place, has_option};

/// Relations that are planned, as fields of `Rel`.
const RELATIONS: [&str; 10] =
    ["read", "filter", "fetch", "aggregate", "sort", "join", "project", "set", "cross", "exchange"];

/// Expressions that are planned, as fields of `Expression`.
const EXPRESSIONS: [&str; 13] = [
    "literal",
    "selection",
    "scalar_function",
    "window_function",
    "if_then",
    "switch_expression",
    "singular_or_list",
    "multi_or_list",
    "cast",
    "subquery",
    "nested",
    "lambda",
    "dynamic_parameter",
];

/// Kinds of tables that are read, as fields of `ReadRel`.
const OTHER_TABLES: [(&str, &str); 2] = [("extension_table", "extension"), ("iceberg_table", "Iceberg")];

/// Formats of local files other than Parquet, as fields of `FileOrFiles`.
const OTHER_FORMATS: [(&str, &str); 5] = [
    ("arrow", "Arrow"),
    ("orc", "ORC"),
    ("extension", "of an extension"),
    ("dwrf", "DWRF"),
    ("text", "text"),
];

/// Messages with fields that they can't be without.
const REQUIRED: [(&str, &[&str]); 22] = [
    ("substrait.RelRoot", &["input"]),
    ("substrait.FilterRel", &["input", "condition"]),
    ("substrait.FetchRel", &["input"]),
    ("substrait.AggregateRel", &["input"]),
    ("substrait.AggregateRel.Measure", &["measure"]),
    ("substrait.SortRel", &["input"]),
    ("substrait.SortField", &["expr"]),
    ("substrait.JoinRel", &["left", "right"]),
    ("substrait.CrossRel", &["left", "right"]),
    ("substrait.ProjectRel", &["input"]),
    ("substrait.ExchangeRel", &["input"]),
    ("substrait.ReadRel", &["base_schema"]),
    ("substrait.NamedStruct", &["struct"]),
    ("substrait.Expression.Cast", &["input", "type"]),
    ("substrait.Expression.IfThen.IfClause", &["if"]),
    ("substrait.Expression.SwitchExpression", &["match"]),
    ("substrait.Expression.SwitchExpression.IfValue", &["if", "then"]),
    ("substrait.Expression.SingularOrList", &["value"]),
    ("substrait.Expression.Literal.Map.KeyValue", &["key", "value"]),
    ("substrait.Expression.Subquery.Scalar", &["input"]),
    ("substrait.Expression.Subquery.SetPredicate", &["tuples"]),
    ("substrait.Type.List", &["type"]),
];

/// Fields of older versions that have no meaning for a plan's rows: the origin of functions.
const OLD_FIELDS: [&str; 5] = [
    "substrait.Plan",
    "substrait.ExtendedExpression",
    "substrait.extensions.SimpleExtensionDeclaration.ExtensionFunction",
    "substrait.extensions.SimpleExtensionDeclaration.ExtensionType",
    "substrait.extensions.SimpleExtensionDeclaration.ExtensionTypeVariation",
];

/// Number of these fields.
const OLD_FIELD: u32 = 1;

/// Window functions that take their arguments as they come, with the least number of these.
const LEAST_ARGUMENTS: [(&str, usize); 6] =
    [("first_value", 1), ("last_value", 1), ("nth_value", 2), ("lag", 1), ("lead", 1), ("ntile", 1)];

/// Functions whose third argument is an escape character.
const LIKES: [&str; 6] = ["like", "ilike", "like_match", "like_imatch", "like_not_match", "like_not_imatch"];

/// Number of the invocation of an aggregate over distinct values.
const DISTINCT: i32 = 2;

/// Checks that everything in a plan is supported.
///
/// # Errors
/// It is not; the error has all of it.
pub(super) fn check(message: &DynamicMessage, functions: &Functions, state: &SessionState) -> Result<()> {
    let mut walk = Walk {
        functions,
        state,
        missing: BTreeSet::new(),
        relations: BTreeSet::new(),
        others: BTreeSet::new(),
    };
    walk.message(message)?;
    let mut parts = Vec::new();
    let missing = walk.missing.iter().map(|(name, anchor)| format!("{name} (anchor {anchor})"));
    let lists = [
        ("functions", missing.collect::<Vec<_>>()),
        ("relations", walk.relations.into_iter().collect()),
        ("and", walk.others.into_iter().collect()),
    ];
    for (kind, list) in lists {
        if !list.is_empty() {
            let kind = if kind == "and" { String::new() } else { format!("{kind} ") };
            parts.push(format!("{kind}{}", list.join(", ")));
        }
    }
    match parts.is_empty() {
        true => Ok(()),
        false => {
            Err(Error::Query(format!("this Substrait plan needs what Pelton lacks: {}", parts.join("; "))))
        }
    }
}

struct Walk<'a> {
    functions: &'a Functions,
    state: &'a SessionState,
    missing: BTreeSet<(String, u32)>,
    relations: BTreeSet<String>,
    others: BTreeSet<String>,
}

impl Walk<'_> {
    /// Reads a message and those in it. The decoder has limited their depth.
    fn message(&mut self, message: &DynamicMessage) -> Result<()> {
        self.node(message)?;
        for (_, value) in message.fields() {
            match value {
                Value::Message(inner) => self.message(inner)?,
                Value::List(values) => {
                    for value in values {
                        if let Value::Message(inner) = value {
                            self.message(inner)?;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn node(&mut self, message: &DynamicMessage) -> Result<()> {
        values::check(message)?;
        let descriptor = message.descriptor();
        let name = descriptor.full_name();
        if let Some((_, fields)) = REQUIRED.iter().find(|(required, _)| *required == name)
            && let Some(field) = fields.iter().find(|field| !message.has_field_by_name(field))
        {
            let message = descriptor.name();
            return Err(Error::Query(format!(
                "this Substrait plan is not whole: a {message} has no {field}"
            )));
        }
        for field in message.unknown_fields() {
            if field.number() != OLD_FIELD || !OLD_FIELDS.contains(&name) {
                let what = format!("field {} of {name}, which is of another version", field.number());
                self.others.insert(what);
            }
        }
        match name {
            "substrait.Rel" => self.relation(message)?,
            "substrait.Expression" => self.expression(message)?,
            "substrait.Expression.ScalarFunction" => self.call(message, Place::Row),
            "substrait.AggregateFunction" => self.call(message, Place::Aggregate),
            "substrait.Expression.WindowFunction" => {
                self.call(message, Place::Window);
                order::frame(message, &self.function(message).1, &mut self.others)?;
            }
            "substrait.SortRel" => order::keys(message)?,
            "substrait.SortField" => order::direction(message, &mut self.others)?,
            "substrait.ReadRel" => self.one_of(message, &OTHER_TABLES, "tables of kind"),
            "substrait.ReadRel.LocalFiles.FileOrFiles" => self.file(message),
            "substrait.JoinRel" if message.has_field_by_name("post_join_filter") => {
                self.others.insert("a filter behind a join".to_owned());
            }
            "substrait.extensions.AdvancedExtension" if message.has_field_by_name("enhancement") => {
                self.others.insert("an enhancement of an extension".to_owned());
            }
            "substrait.Expression.Nested" => {
                self.one_of(message, &[("struct", "struct"), ("map", "map")], "constructors of kind");
            }
            "substrait.Expression.FieldReference" if message.has_field_by_name("masked_reference") => {
                self.others.insert("masked references to columns".to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    /// Notes the fields of a message that are set.
    fn one_of(&mut self, message: &DynamicMessage, fields: &[(&str, &str)], kind: &str) {
        for (field, title) in fields {
            if message.has_field_by_name(field) {
                self.others.insert(format!("{kind} {title}"));
            }
        }
    }

    fn relation(&mut self, message: &DynamicMessage) -> Result<()> {
        let Some((field, value)) = message.fields().next() else {
            return Err(Error::Query("this Substrait plan is not whole: a relation has no type".to_owned()));
        };
        if !RELATIONS.contains(&field.name()) {
            let title =
                value.as_message().map_or_else(String::new, |inner| inner.descriptor().name().to_owned());
            self.relations.insert(title);
        }
        Ok(())
    }

    fn expression(&mut self, message: &DynamicMessage) -> Result<()> {
        let Some((field, _)) = message.fields().next() else {
            return Err(Error::Query(
                "this Substrait plan is not whole: an expression has no type".to_owned(),
            ));
        };
        if !EXPRESSIONS.contains(&field.name()) {
            self.others.insert(format!("expressions of kind {}", field.name()));
        }
        Ok(())
    }

    fn file(&mut self, message: &DynamicMessage) {
        self.one_of(message, &OTHER_FORMATS, "files of format");
        let number =
            |field: &str| message.get_field_by_name(field).and_then(|value| value.as_u64()).unwrap_or(0);
        if number("start") != 0 || number("length") != 0 {
            self.others.insert("parts of files (start, length)".to_owned());
        }
    }

    /// Returns the anchor and the name of a call's function.
    fn function(&self, call: &DynamicMessage) -> (u32, String) {
        let anchor = call.get_field_by_name("function_reference").and_then(|value| value.as_u32());
        let anchor = anchor.unwrap_or_default();
        (anchor, self.functions.name(anchor).unwrap_or("a function without a name").to_owned())
    }

    fn call(&mut self, message: &DynamicMessage, place: Place) {
        let (anchor, name) = self.function(message);
        if self.functions.form(self.state, anchor, place).is_none() {
            self.missing.insert((name.clone(), anchor));
            return;
        }
        let text = |message: &DynamicMessage, field: &str| {
            message
                .get_field_by_name(field)
                .and_then(|value| value.as_str().map(str::to_owned))
                .unwrap_or_default()
        };
        if let Some(options) = message.get_field_by_name("options") {
            for option in options.as_list().unwrap_or_default().iter().filter_map(Value::as_message) {
                let title = text(option, "name");
                let preferences = option.get_field_by_name("preference");
                let preferences = preferences.as_ref().and_then(|value| value.as_list()).unwrap_or_default();
                let preferences: Vec<String> =
                    preferences.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect();
                if !has_option(&name, &title, &preferences) {
                    let values = preferences.join(" or ");
                    self.others.insert(format!("{name} (anchor {anchor}) with {title} {values}"));
                }
            }
        }
        if message
            .get_field_by_name("args")
            .is_some_and(|args| !args.as_list().unwrap_or_default().is_empty())
        {
            self.others.insert(format!("{name} (anchor {anchor}) with arguments in the form before 0.20"));
        }
        let invocation = message.get_field_by_name("invocation").and_then(|value| value.as_enum_number());
        if place == Place::Window && invocation == Some(DISTINCT) {
            self.others.insert(format!("{name} (anchor {anchor}) over distinct values of a window"));
        }
        let arguments = message.get_field_by_name("arguments");
        let arguments = arguments.as_ref().and_then(|value| value.as_list()).unwrap_or_default();
        let least = LEAST_ARGUMENTS.iter().find(|(function, _)| *function == name);
        if place == Place::Window && least.is_some_and(|(_, least)| arguments.len() < *least) {
            self.others.insert(format!("{name} (anchor {anchor}) of {} arguments", arguments.len()));
        }
        if place == Place::Row
            && LIKES.contains(&name.as_str())
            && arguments.len() > 2
            && !has_escape(arguments)
        {
            self.others.insert(format!("{name} (anchor {anchor}) with another escape character than \\"));
        }
        // 0: unspecified; 3: from the rows to the result
        let phase = message.get_field_by_name("phase").and_then(|value| value.as_enum_number());
        if phase.is_some_and(|phase| phase != 0 && phase != 3) {
            self.others.insert(format!("{name} (anchor {anchor}) in parts (phase)"));
        }
    }
}

/// Returns whether the third of some arguments is an escape character that Pelton has: the
/// backslash, or none.
fn has_escape(arguments: &[Value]) -> bool {
    let inner = |message: &DynamicMessage, field: &str| {
        let value = message.has_field_by_name(field).then(|| message.get_field_by_name(field))??;
        value.as_message().cloned()
    };
    let argument = arguments.get(2).and_then(Value::as_message);
    let literal = argument.and_then(|one| inner(&inner(one, "value")?, "literal"));
    literal.is_some_and(|literal| {
        let text = literal.get_field_by_name("string");
        let text = text.as_ref().and_then(|text| text.as_str()).unwrap_or_default();
        literal.has_field_by_name("null") || ["", "\\"].contains(&text)
    })
}
