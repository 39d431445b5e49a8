//! TPC-H's lineitem as pages of a Parquet file, column by column.

use std::sync::Arc;

use bytes::Bytes;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use tpchgen::generators::{LineItem, LineItemGenerator};

/// Rows, of the first orders at scale factor 1.
const ROWS: usize = 300_000;

const SCHEMA: &str = "message lineitem {
    required int64 l_orderkey;
    required int64 l_partkey;
    required int64 l_suppkey;
    required int32 l_linenumber;
    required int64 l_quantity (DECIMAL(15, 2));
    required int64 l_extendedprice (DECIMAL(15, 2));
    required int64 l_discount (DECIMAL(15, 2));
    required int64 l_tax (DECIMAL(15, 2));
    required binary l_returnflag (UTF8);
    required binary l_linestatus (UTF8);
    required int32 l_shipdate (DATE);
    required int32 l_commitdate (DATE);
    required int32 l_receiptdate (DATE);
    required binary l_shipinstruct (UTF8);
    required binary l_shipmode (UTF8);
    required binary l_comment (UTF8);
}";

/// A column's name and pages.
pub type Column = (String, Vec<Vec<u8>>);

/// Returns the pages of each column, which the writer of parquet-rs encodes as it does by default:
/// dictionaries where they are small, pages of a megabyte.
pub fn lineitem() -> std::result::Result<Vec<Column>, String> {
    let generator = LineItemGenerator::new(1.0, 1, 1);
    let rows: Vec<LineItem<'_>> = generator.iter().take(ROWS).collect();
    let file = write(&rows).map_err(|error| format!("TPC-H's lineitem: {error}"))?;
    pages(file).map_err(|error| format!("TPC-H's lineitem: {error}"))
}

fn write(rows: &[LineItem<'_>]) -> Result<Bytes> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let mut writer =
        SerializedFileWriter::new(Vec::new(), schema, Arc::new(WriterProperties::builder().build()))?;
    let mut group = writer.next_row_group()?;
    let long = |value: &dyn Fn(&LineItem<'_>) -> i64| rows.iter().map(value).collect::<Vec<i64>>();
    let int = |value: &dyn Fn(&LineItem<'_>) -> i32| rows.iter().map(value).collect::<Vec<i32>>();
    let text = |value: &dyn for<'a> Fn(&'a LineItem<'_>) -> &'a str| {
        rows.iter().map(|row| ByteArray::from(value(row).as_bytes().to_vec())).collect::<Vec<ByteArray>>()
    };
    column::<Int64Type>(&mut group, &long(&|row| row.l_orderkey))?;
    column::<Int64Type>(&mut group, &long(&|row| row.l_partkey))?;
    column::<Int64Type>(&mut group, &long(&|row| row.l_suppkey))?;
    column::<Int32Type>(&mut group, &int(&|row| row.l_linenumber))?;
    column::<Int64Type>(&mut group, &long(&|row| row.l_quantity * 100))?;
    column::<Int64Type>(&mut group, &long(&|row| row.l_extendedprice.0))?;
    column::<Int64Type>(&mut group, &long(&|row| row.l_discount.0))?;
    column::<Int64Type>(&mut group, &long(&|row| row.l_tax.0))?;
    column::<ByteArrayType>(&mut group, &text(&|row| row.l_returnflag))?;
    column::<ByteArrayType>(&mut group, &text(&|row| row.l_linestatus))?;
    column::<Int32Type>(&mut group, &int(&|row| row.l_shipdate.to_unix_epoch()))?;
    column::<Int32Type>(&mut group, &int(&|row| row.l_commitdate.to_unix_epoch()))?;
    column::<Int32Type>(&mut group, &int(&|row| row.l_receiptdate.to_unix_epoch()))?;
    column::<ByteArrayType>(&mut group, &text(&|row| row.l_shipinstruct))?;
    column::<ByteArrayType>(&mut group, &text(&|row| row.l_shipmode))?;
    column::<ByteArrayType>(&mut group, &text(&|row| row.l_comment))?;
    group.close()?;
    Ok(Bytes::from(writer.into_inner()?))
}

fn column<T: DataType>(group: &mut SerializedRowGroupWriter<'_, Vec<u8>>, values: &[T::T]) -> Result<()> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, None, None)?;
        column.close()?;
    }
    Ok(())
}

fn pages(file: Bytes) -> Result<Vec<Column>> {
    let reader = SerializedFileReader::new(file)?;
    let group = reader.get_row_group(0)?;
    let column = |index: usize| {
        let name = group.metadata().column(index).column_path().string();
        let pages = group.get_column_page_reader(index)?.map(|page| Ok(page?.buffer().to_vec()));
        Ok((name, pages.collect::<Result<_>>()?))
    };
    (0..group.num_columns()).map(column).collect()
}
