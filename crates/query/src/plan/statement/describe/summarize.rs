//! SUMMARIZE: a row about each column of a table or query, from one scan.

use std::fmt::Write;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, StringArray};
use arrow::datatypes::{DataType, Decimal128Type, Field, Int64Type, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};
use futures::TryStreamExt;
use pelton_pages::type_in_sql;

use crate::error::{Error, Result};
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;
use crate::plan::session::Session;
use crate::plan::sql;
use crate::plan::statement::prepare::Parameters;
use crate::plan::statement::tables::quoted;
use crate::plan::statement::tokens::{keyword, offset};

/// Texts about each column, by the title of the result's column.
const TEXTS: [&str; 7] = ["min", "max", "avg", "std", "q25", "q50", "q75"];

/// The first of the texts that is a quantile.
const QUANTILES: usize = 4;

/// Aggregates of one column: the texts, the number of distinct values, and that of values.
const AGGREGATES: usize = TEXTS.len() + 2;

/// Plans SUMMARIZE of a table, of files or of a query.
///
/// # Errors
/// Nothing is named, or the query can't be planned.
pub(in crate::plan::statement) async fn plan(
    session: &Session,
    text: &str,
    tokens: &[TokenWithSpan],
    parameters: &Parameters,
) -> Result<Plan> {
    let Some(first) = tokens.get(1) else {
        return Err(Error::Query("SUMMARIZE needs a table or a query: SUMMARIZE name".to_owned()));
    };
    let rest = text[offset(text, first)..].trim_end().trim_end_matches(';');
    let is_query = first.token == Token::LParen
        || ["SELECT", "FROM", "WITH", "VALUES", "TABLE"]
            .contains(&keyword(Some(first)).as_deref().unwrap_or(""));
    // on a line of its own, since it may end with a comment
    let query = if is_query { format!("({rest}\n)") } else { rest.to_owned() };
    let columns = logical(session, &format!("SELECT * FROM {query} AS summarized"), parameters).await?;
    let columns = Arc::new(columns.schema().as_arrow().clone());
    let mut aggregates = "SELECT count(*)".to_owned();
    for field in columns.fields() {
        add_aggregates(&mut aggregates, &quoted(field.name()), field.data_type());
    }
    let aggregates =
        logical(session, &format!("{aggregates} FROM {query} AS summarized"), parameters).await?;
    let input = session.plan(&aggregates).await?;
    Ok(Arc::new(RowsExec::consuming("SUMMARIZE", input, schema(), move |rows| {
        let columns = columns.clone();
        async move {
            let rows: Vec<RecordBatch> = rows.try_collect().await?;
            let row = rows.iter().find(|batch| batch.num_rows() == 1);
            let row = row.ok_or_else(|| Error::Internal("totals without a row".to_owned()))?;
            turned(&columns, row)
        }
    })))
}

async fn logical(
    session: &Session,
    text: &str,
    parameters: &Parameters,
) -> Result<datafusion::logical_expr::LogicalPlan> {
    let state = session.context.state();
    let mut statement = sql::parse(&state, text)?;
    parameters.bind(&mut statement)?;
    Ok(sql::plan(&state, text, statement).await?)
}

/// Adds the aggregates of a column to a SELECT, those that its type does not have as NULL.
fn add_aggregates(select: &mut String, name: &str, data_type: &DataType) {
    let is_number = data_type.is_numeric();
    let is_bytes = data_type.is_binary() || matches!(data_type, DataType::FixedSizeBinary(_));
    // bytes are no text, and are counted as they are
    let has_order =
        !is_bytes && !matches!(data_type, DataType::Map(..) | DataType::Interval(_) | DataType::Null);
    let counted = if is_bytes { name.to_owned() } else { format!("CAST({name} AS VARCHAR)") };
    let bound = |function: &str| match has_order {
        true => format!("CAST({function}({name}) AS VARCHAR)"),
        false => "CAST(NULL AS VARCHAR)".to_owned(),
    };
    let of_number = |function: &str, rest: &str| match is_number {
        true => format!("CAST({function}(CAST({name} AS DOUBLE){rest}) AS VARCHAR)"),
        false => "CAST(NULL AS VARCHAR)".to_owned(),
    };
    let quantile = |share: &str| of_number("approx_percentile_cont", &format!(", {share}"));
    let texts = [
        bound("min"),
        bound("max"),
        of_number("avg", ""),
        of_number("stddev", ""),
        quantile("0.25"),
        quantile("0.5"),
        quantile("0.75"),
    ];
    // writing to a String does not fail
    texts.iter().for_each(|text| _ = write!(select, ", {text}"));
    _ = write!(select, ", CAST(approx_distinct({counted}) AS BIGINT), count({name})");
}

/// Returns the columns of the result.
fn schema() -> SchemaRef {
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let mut fields = vec![
        text("column_name"),
        text("column_type"),
        text("min"),
        text("max"),
        Field::new("approx_unique", DataType::Int64, true),
    ];
    fields.extend(TEXTS[2..].iter().map(|name| text(name)));
    fields.push(Field::new("count", DataType::Int64, true));
    fields.push(Field::new("null_percentage", DataType::Decimal128(9, 2), true));
    Arc::new(Schema::new(fields))
}

/// Makes a row for each column of the one row of all aggregates.
fn turned(columns: &Schema, row: &RecordBatch) -> Result<RecordBatch> {
    let fields = columns.fields();
    let rows = row.column(0).as_primitive::<Int64Type>().value(0);
    let of = |column: usize, aggregate: usize| row.column(1 + column * AGGREGATES + aggregate);
    let texts = |aggregate: usize| -> Result<ArrayRef> {
        let texts = fields.iter().enumerate().map(|(column, field)| {
            let shown = text(of(column, aggregate))?;
            let is_whole = aggregate >= QUANTILES && field.data_type().is_integer();
            Ok(if is_whole { shown.map(rounded) } else { shown })
        });
        Ok(Arc::new(texts.collect::<Result<StringArray>>()?))
    };
    let number = |column: usize, aggregate: usize| of(column, aggregate).as_primitive::<Int64Type>().value(0);
    // an estimate, which may be above the number of values
    let values = |column: usize| number(column, TEXTS.len() + 1);
    let distinct = (0..fields.len()).map(|column| number(column, TEXTS.len()).min(values(column)));
    let nulls = (0..fields.len()).map(|column| match rows {
        0 => 0,
        rows => hundredths(rows - values(column), rows),
    });
    let nulls = arrow::array::PrimitiveArray::<Decimal128Type>::from_iter_values(nulls);
    let nulls = nulls.with_precision_and_scale(9, 2).map_err(|e| Error::Internal(e.to_string()))?;
    let names = StringArray::from_iter_values(fields.iter().map(|field| field.name()));
    let types = StringArray::from_iter_values(fields.iter().map(|field| type_in_sql(field.data_type())));
    let mut result: Vec<ArrayRef> = vec![Arc::new(names), Arc::new(types), texts(0)?, texts(1)?];
    result.push(Arc::new(Int64Array::from_iter_values(distinct)));
    for aggregate in 2..TEXTS.len() {
        result.push(texts(aggregate)?);
    }
    result.push(Arc::new(Int64Array::from_value(rows, fields.len())));
    result.push(Arc::new(nulls));
    RecordBatch::try_new(schema(), result).map_err(|e| Error::Internal(e.to_string()))
}

/// Returns a share of some rows in hundredths of a percent, rounded to the nearest.
fn hundredths(part: i64, rows: i64) -> i128 {
    let (part, rows) = (i128::from(part), i128::from(rows));
    (part * 20_000 + rows) / (rows * 2)
}

/// Returns a number without digits behind the point.
fn rounded(number: String) -> String {
    number.parse().map_or(number, |number: f64| format!("{:.0}", number.round()))
}

fn text(value: &ArrayRef) -> Result<Option<String>> {
    if value.is_null(0) {
        return Ok(None);
    }
    let text = arrow::util::display::array_value_to_string(value, 0);
    text.map(Some).map_err(|e| Error::Internal(e.to_string()))
}
