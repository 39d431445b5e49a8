//! Rows in Arrow's own formats: files with random access to batches (Feather V2), and streams.

use std::io::Write;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow_ipc::writer::{FileWriter, StreamWriter};

/// One of the two formats.
enum Form<W: Write> {
    File(FileWriter<W>),
    Stream(StreamWriter<W>),
}

/// See the module.
pub(super) struct ArrowWriter<W: Write> {
    form: Form<W>,
    schema: SchemaRef,
}

impl<W: Write> ArrowWriter<W> {
    /// Writes the schema.
    pub fn new(to: W, schema: &SchemaRef, is_stream: bool) -> Result<Self, ArrowError> {
        let fields: Vec<FieldRef> = schema.fields().iter().map(common).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
        let form = match is_stream {
            true => Form::Stream(StreamWriter::try_new(to, &schema)?),
            false => Form::File(FileWriter::try_new(to, &schema)?),
        };
        Ok(Self { form, schema })
    }

    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let columns = batch.columns().iter().zip(self.schema.fields());
        let columns = columns.map(|(column, field)| match column.data_type() == field.data_type() {
            true => Ok(column.clone()),
            false => cast(column, field.data_type()),
        });
        let columns = columns.collect::<Result<Vec<ArrayRef>, _>>()?;
        let batch = RecordBatch::try_new(self.schema.clone(), columns)?;
        match &mut self.form {
            Form::File(writer) => writer.write(&batch),
            Form::Stream(writer) => writer.write(&batch),
        }
    }

    pub fn finish(self) -> Result<W, ArrowError> {
        match self.form {
            Form::File(writer) => writer.into_inner(),
            Form::Stream(writer) => writer.into_inner(),
        }
    }
}

/// Returns a field with a type that every reader knows. A file has one dictionary for a column, and
/// batches of a query have several, so that columns with dictionaries are written out.
fn common(field: &FieldRef) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        _ => return field.clone(),
    };
    common(&Arc::new(Field::clone(field).with_data_type(data_type)))
}
