//! Tables that a plan reads: by name, local files, and rows in the plan.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::catalog::TableProvider;
use datafusion::common::{Column, DFSchema, Result, TableReference, plan_err};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{
    Cast, EmptyRelation, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Projection, Values,
};
use datafusion_substrait::logical_plan::consumer::{
    SubstraitConsumer, from_read_rel, from_substrait_named_struct,
};
use substrait::proto::ReadRel;
use substrait::proto::read_rel::local_files::FileOrFiles;
use substrait::proto::read_rel::local_files::file_or_files::PathType;
use substrait::proto::read_rel::{LocalFiles, ReadType};
use url::Url;

use super::context::Consumer;
use super::names::columns;
use crate::error::{Error, wrap};
use crate::table::PeltonTable;

/// Name of the table that is made of a plan's local files.
const FILES: &str = "files";

/// Plans a read.
///
/// # Errors
/// There is no such table or file, it lacks a column, or a column has another type.
pub(super) async fn plan(consumer: &Consumer<'_>, rel: &ReadRel) -> Result<LogicalPlan> {
    let Some(base) = &rel.base_schema else { return plan_err!("a table of the plan has no columns") };
    let schema = from_substrait_named_struct(consumer, base)?;
    let scan = match &rel.read_type {
        Some(ReadType::NamedTable(table)) => {
            let name = table_name(&table.names)?;
            let provider = match consumer.resolve_table_ref(&name).await? {
                Some(provider) => provider,
                None => return plan_err!("table '{name}' not found"),
            };
            over(provider, name, &schema)?
        }
        Some(ReadType::LocalFiles(files)) => {
            let table = local_files(consumer, files).await.map_err(wrap)?;
            over(Arc::new(table), TableReference::bare(FILES), &schema)?
        }
        Some(ReadType::VirtualTable(_)) => rows(consumer, rel, &schema).await?,
        _ => return plan_err!("a table of the plan has no kind"),
    };
    let filtered = match &rel.filter {
        Some(filter) => {
            let condition = consumer.consume_expression(filter, scan.schema()).await?;
            LogicalPlanBuilder::from(scan).filter(condition)?.build()?
        }
        None => scan,
    };
    match rel.projection.as_ref().and_then(|mask| mask.select.as_ref()) {
        Some(mask) if mask.struct_items.iter().any(|item| item.child.is_some()) => {
            plan_err!("a part of a column in the projection of a table is not supported")
        }
        Some(mask) => columns(filtered, mask.struct_items.iter().map(|item| item.field)),
        None => Ok(filtered),
    }
}

fn table_name(names: &[String]) -> Result<TableReference> {
    Ok(match names {
        [table] => TableReference::bare(table.as_str()),
        [schema, table] => TableReference::partial(schema.as_str(), table.as_str()),
        [catalog, schema, table] => TableReference::full(catalog.as_str(), schema.as_str(), table.as_str()),
        _ => return plan_err!("a table of the plan has {} names", names.len()),
    })
}

/// Scans a table for the columns that a plan knows it by, in the plan's order.
///
/// # Errors
/// A column is missing, or has a type that the plan's can't hold.
pub(in crate::plan::substrait) fn over(
    provider: Arc<dyn TableProvider>,
    name: TableReference,
    wanted: &DFSchema,
) -> Result<LogicalPlan> {
    let schema = provider.schema();
    let scan = LogicalPlanBuilder::scan(name.clone(), provider_as_source(provider), None)?.build()?;
    let mut chosen = Vec::with_capacity(wanted.fields().len());
    let mut is_whole = wanted.fields().len() == schema.fields().len();
    for (at, field) in wanted.fields().iter().enumerate() {
        let exact = schema.index_of(field.name()).ok();
        let Some(found) = exact.or_else(|| like_named(schema.fields(), field.name())) else {
            let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            return plan_err!("table '{name}' has no column {}; it has {}", field.name(), names.join(", "));
        };
        let present = schema.field(found);
        is_whole &= found == at && present.name() == field.name();
        let column = Expr::Column(Column::new(Some(name.clone()), present.name()));
        let (from, to) = (present.data_type(), field.data_type());
        chosen.push(if DFSchema::datatype_is_logically_equal(from, to) {
            column
        } else if holds(from, to) {
            is_whole = false;
            Expr::Cast(Cast::new(Box::new(column), to.clone()))
                .alias_qualified(Some(name.clone()), field.name())
        } else {
            return plan_err!("column {} of table '{name}' is {from}, and the plan has {to}", field.name());
        });
    }
    match is_whole {
        true => Ok(scan),
        false => Ok(LogicalPlan::Projection(Projection::try_new(chosen, Arc::new(scan))?)),
    }
}

/// Returns the one column whose name differs in capitals only.
fn like_named(fields: &arrow::datatypes::Fields, name: &str) -> Option<usize> {
    let mut alike = fields.iter().enumerate().filter(|(_, field)| field.name().eq_ignore_ascii_case(name));
    match (alike.next(), alike.next()) {
        (Some((at, _)), None) => Some(at),
        _ => None,
    }
}

/// Returns whether a type can have every value of another one.
fn holds(from: &DataType, to: &DataType) -> bool {
    use DataType::*;
    let bits = |data_type: &DataType| data_type.primitive_width().unwrap_or(0) * 8;
    match (from, to) {
        (Dictionary(_, values), to) => DFSchema::datatype_is_logically_equal(values, to) || holds(values, to),
        (from, to) if from.is_signed_integer() && to.is_signed_integer() => bits(from) <= bits(to),
        (from, to) if from.is_unsigned_integer() && to.is_unsigned_integer() => bits(from) <= bits(to),
        (from, to) if from.is_unsigned_integer() && to.is_signed_integer() => bits(from) < bits(to),
        (Float32, Float64) => true,
        (Decimal128(digits, scale), Decimal128(more, longer)) => {
            scale <= longer && i16::from(*more) - i16::from(*longer) >= i16::from(*digits) - i16::from(*scale)
        }
        // the plan's unit may be finer; a coarser one loses digits
        (Timestamp(from, None), Timestamp(to, None)) => from <= to,
        (Timestamp(from, Some(_)), Timestamp(to, Some(_))) => from <= to,
        _ => false,
    }
}

async fn local_files(consumer: &Consumer<'_>, files: &LocalFiles) -> Result<PeltonTable, Error> {
    let places = files.items.iter().map(place).collect::<Result<Vec<String>, Error>>()?;
    if places.is_empty() {
        return Err(Error::Query("a table of the plan has no files".to_owned()));
    }
    PeltonTable::open(&places, consumer.scan.clone()).await
}

/// Returns the place of a file, a folder or files by a pattern. Where a place is a file, a folder
/// is refused, and the other way round.
fn place(item: &FileOrFiles) -> Result<String, Error> {
    let of_kind = |uri: &str, is_right: fn(&std::path::Path) -> bool, kind: &str| {
        let place = path(uri)?;
        let local = std::path::Path::new(&place);
        match place.contains("://") || is_right(local) || !local.exists() {
            true => Ok(place),
            false => Err(Error::Table(format!("{place}: the plan has it as a {kind}, which it is not"))),
        }
    };
    match &item.path_type {
        Some(PathType::UriFile(uri)) => of_kind(uri, std::path::Path::is_file, "file"),
        Some(PathType::UriFolder(uri)) => of_kind(uri, std::path::Path::is_dir, "folder"),
        Some(PathType::UriPath(uri)) => path(uri),
        Some(PathType::UriPathGlob(uri)) => Ok(uri.strip_prefix("file://").unwrap_or(uri).to_owned()),
        None => Err(Error::Query("a file of the plan has no path".to_owned())),
    }
}

/// Returns the path of a `file:` URI, and other places unchanged.
fn path(uri: &str) -> Result<String, Error> {
    if !uri.starts_with("file:") {
        return Ok(uri.to_owned());
    }
    let parsed = Url::parse(uri).ok().and_then(|url| url.to_file_path().ok());
    let path = parsed.and_then(|path| path.to_str().map(str::to_owned));
    path.ok_or_else(|| Error::Table(format!("{uri}: it is no URI of a local file: write file:///path")))
}

/// Plans rows that are in the plan.
async fn rows(consumer: &Consumer<'_>, rel: &ReadRel, schema: &DFSchema) -> Result<LogicalPlan> {
    // the filter and the projection are those of any read
    let bare = ReadRel { filter: None, projection: None, ..rel.clone() };
    match from_read_rel(consumer, &bare).await? {
        LogicalPlan::Values(values) => typed(values, schema),
        LogicalPlan::EmptyRelation(EmptyRelation { produce_one_row, schema }) => {
            Ok(LogicalPlan::EmptyRelation(EmptyRelation { produce_one_row, schema }))
        }
        other => Ok(other),
    }
}

/// Gives the values of rows the types of their columns.
fn typed(mut values: Values, schema: &DFSchema) -> Result<LogicalPlan> {
    let empty = DFSchema::empty();
    for row in &mut values.values {
        if row.len() != schema.fields().len() {
            return plan_err!(
                "a row of the plan has {} values for {} columns",
                row.len(),
                schema.fields().len()
            );
        }
        for (value, field) in row.iter_mut().zip(schema.fields()) {
            if value.get_type(&empty)? != *field.data_type() {
                *value = std::mem::take(value).cast_to(field.data_type(), &empty)?;
            }
        }
    }
    Ok(LogicalPlan::Values(values))
}
