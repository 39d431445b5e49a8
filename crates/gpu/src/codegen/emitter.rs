//! Emitter of lines of code, with the values that they have computed so far.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::literal::wide;
use crate::ir::{Expr, Field, Scalar};
use arrow::datatypes::DataType;

/// A computed value: the name of a variable, or a constant.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Value {
    /// The value. It is undefined if it is null, and false for a truth value that is null.
    pub text: String,
    /// Condition under which the value is null; `None` if it never is.
    pub null: Option<String>,
    /// Its type.
    pub scalar: Scalar,
}

impl Value {
    /// Returns the condition under which it is null, as an expression.
    pub fn is_null(&self) -> &str {
        self.null.as_deref().unwrap_or("false")
    }
}

/// A column of a row, by its number in `Emitter::slots`.
pub(super) type Slot = usize;

/// The columns of a row.
pub(super) type Row = Rc<Vec<Slot>>;

/// Source of a column.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// A file's column, at the row of the kernel's loop.
    Cursor(usize),
    /// A table's or aggregate's column: the struct, the number, the row's variable. With `maybe`
    /// the row may be NO_ROW; with `flags` the column has valid flags.
    Cell { of: String, column: usize, row: String, maybe: bool, flags: bool },
    /// An expression over another row.
    Computed(Rc<Expr>, Row),
    /// A value that was computed before.
    Ready(Value),
}

/// Writes the body of a kernel.
#[derive(Default)]
pub(super) struct Emitter {
    lines: Vec<(usize, String)>,
    depth: usize,
    names: usize,
    pub(super) slots: Vec<(Field, Origin)>,
    /// Slots that have been computed, innermost scope last.
    pub(super) computed: Vec<(Slot, Value)>,
    /// Columns of the scan that are read.
    pub cursors: BTreeSet<usize>,
    /// Tables that are read or written.
    pub tables: BTreeSet<usize>,
}

impl Emitter {
    /// Emits a line.
    pub fn line(&mut self, text: impl Into<String>) {
        self.lines.push((self.depth, text.into()));
    }

    /// Emits a line that begins a block. Returns the number that ends it again.
    pub fn open(&mut self, text: impl Into<String>) -> usize {
        self.line(text);
        self.depth += 1;
        self.computed.len()
    }

    /// Begins the block of an `else` after its line.
    pub fn reopen(&mut self) -> usize {
        self.depth += 1;
        self.computed.len()
    }

    /// Ends a block, and with it the scope of the values computed in it.
    pub fn close(&mut self, scope: usize, text: &str) {
        self.computed.truncate(scope);
        self.depth -= 1;
        self.line(text);
    }

    /// Returns a new name.
    pub fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Adds a column of a row.
    pub fn slot(&mut self, field: &Field, origin: Origin) -> Slot {
        self.slots.push((field.clone(), origin));
        self.slots.len() - 1
    }

    /// Adds the columns of a table or aggregate at a row.
    pub fn cells(&mut self, of: &str, fields: &[Field], row: &str, maybe: bool) -> Vec<Slot> {
        let cell = |(column, field): (usize, &Field)| {
            let (of, row, flags) = (of.to_owned(), row.to_owned(), field.nullable);
            let origin = Origin::Cell { of, column, row, maybe, flags };
            let nullable = field.nullable || maybe;
            (Field { nullable, ..field.clone() }, origin)
        };
        let all: Vec<_> = fields.iter().enumerate().map(cell).collect();
        all.into_iter().map(|(field, origin)| self.slot(&field, origin)).collect()
    }

    /// Defines a variable, and returns its name.
    pub fn define(&mut self, scalar: Scalar, text: &str) -> String {
        let name = self.name("v");
        self.line(format!("const {} {name} = {text};", scalar.name()));
        name
    }

    pub fn cursor(&mut self, column: usize, field: &Field) -> Value {
        self.cursors.insert(column);
        let read = match field.scalar {
            Scalar::Bool => format!("c{column}.bool_at(row)"),
            Scalar::F32 => format!("c{column}.f32_at(row)"),
            Scalar::F64 => format!("c{column}.f64_at(row)"),
            Scalar::Str => format!("c{column}.str_at(row)"),
            Scalar::I128 => format!("c{column}.i128_at(row)"),
            Scalar::I64 => format!("c{column}.i64_at(row)"),
            integer => format!("({})c{column}.i64_at(row)", integer.name()),
        };
        let read = match (&field.data_type, field.scalar) {
            (DataType::Decimal128(digits, _), Scalar::I64) => {
                format!("decimal_declared<i64>({read}, {}ll, p.status)", 10i64.pow(u32::from(*digits)) - 1)
            }
            (DataType::Decimal128(digits, _), Scalar::I128) => {
                let bound = wide(10i128.pow(u32::from(*digits)) - 1);
                format!("decimal_declared<i128>({read}, {bound}, p.status)")
            }
            _ => read,
        };
        let null = if field.nullable { format!("!c{column}.valid(row)") } else { String::new() };
        self.cell(&read, field.scalar, &null)
    }

    /// Defines a value that is read unless `null` holds; an empty condition never does.
    pub fn cell(&mut self, read: &str, scalar: Scalar, null: &str) -> Value {
        if null.is_empty() {
            return Value { text: self.define(scalar, read), null: None, scalar };
        }
        let name = self.name("n");
        self.line(format!("const bool {name} = {null};"));
        let text = format!("{name} ? {}() : {read}", scalar.name());
        Value { text: self.define(scalar, &text), null: Some(name), scalar }
    }

    /// Returns the code, indented.
    pub fn into_text(self) -> String {
        let indent = |(depth, line): &(usize, String)| format!("{}{line}\n", "    ".repeat(depth + 1));
        self.lines.iter().map(indent).collect()
    }
}

/// Returns the value that stands for null.
pub(super) fn zero(scalar: Scalar) -> String {
    format!("{}()", scalar.name())
}

/// Returns the condition under which one of the values is null.
pub(super) fn any_null(values: &[&Value]) -> Option<String> {
    let nulls: Vec<&str> = values.iter().filter_map(|value| value.null.as_deref()).collect();
    match nulls.as_slice() {
        [] => None,
        [one] => Some((*one).to_owned()),
        several => Some(format!("({})", several.join(" || "))),
    }
}

/// Emits a strict function: it is null if an operand is, and then not called.
pub(super) fn strict(out: &mut Emitter, scalar: Scalar, operands: &[&Value], text: &str) -> Value {
    match any_null(operands) {
        None => Value { text: out.define(scalar, text), null: None, scalar },
        Some(null) => {
            let name = out.name("n");
            out.line(format!("const bool {name} = {null};"));
            let text = format!("{name} ? {} : {text}", zero(scalar));
            Value { text: out.define(scalar, &text), null: Some(name), scalar }
        }
    }
}
