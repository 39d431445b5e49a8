//! Table functions over the engine itself: `pelton_devices`, `pelton_stats` and `pelton_codecs`.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int32Array, ListBuilder, StringBuilder, StringViewArray,
    UInt64Array,
};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use pelton_codec::{Format, Level};
use pelton_job::{Counts, Router};
use pelton_query::{Error, Result, Session};
use pelton_registry::DeviceReport;

use crate::machine::CurrentMachine;

/// Registers the functions of an engine over its present devices.
pub(crate) fn register(session: &Session, machine: &Arc<CurrentMachine>) {
    let known = machine.clone();
    session.register_rows("pelton_devices", devices_schema(), move || devices(&known.get().devices()));
    let known = machine.clone();
    session.register_rows("pelton_stats", stats_schema(), move || stats(&known.get().router));
    session.register_rows("pelton_codecs", codecs_schema(), codecs);
}

fn schema<const N: usize>(columns: [(&str, DataType); N]) -> SchemaRef {
    let fields = columns.into_iter().map(|(name, data_type)| Field::new(name, data_type, true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn rows(schema: SchemaRef, columns: Vec<ArrayRef>) -> Result<RecordBatch> {
    RecordBatch::try_new(schema, columns).map_err(|error| Error::Internal(error.to_string()))
}

fn devices_schema() -> SchemaRef {
    schema([
        ("name", DataType::Utf8View),
        ("available", DataType::Boolean),
        ("detail", DataType::Utf8View),
        ("enable", DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true)))),
    ])
}

/// A row for each device that Pelton knows, with the commands that would enable it.
fn devices(devices: &[DeviceReport]) -> Result<RecordBatch> {
    let mut commands = ListBuilder::new(StringBuilder::new());
    devices.iter().for_each(|device| commands.append_value(device.enable.iter().map(Some)));
    rows(
        devices_schema(),
        vec![
            Arc::new(StringViewArray::from_iter_values(devices.iter().map(|device| &device.name))),
            Arc::new(devices.iter().map(|device| Some(device.available)).collect::<BooleanArray>()),
            Arc::new(StringViewArray::from_iter_values(devices.iter().map(|device| &device.detail))),
            Arc::new(commands.finish()),
        ],
    )
}

/// Reads a count of a device, operation and format.
type Get = fn(&Counts) -> u64;

/// The counts, with their names.
const COUNTS: [(&str, Get); 9] = [
    ("tried", |counts| counts.tried),
    ("done", |counts| counts.done),
    ("interleaved", |counts| counts.interleaved),
    ("refused", Counts::refused_total),
    ("failed", |counts| counts.failed),
    ("fell_back", Counts::fell_back_total),
    ("cancelled", |counts| counts.cancelled),
    ("bytes_in", |counts| counts.bytes_in),
    ("bytes_out", |counts| counts.bytes_out),
];

fn stats_schema() -> SchemaRef {
    let names = ["device", "operation", "format"].map(|name| (name, DataType::Utf8View));
    let counts = COUNTS.map(|(name, _)| (name, DataType::UInt64));
    let columns = names.into_iter().chain(counts).chain([("seconds", DataType::Float64)]);
    let fields = columns.map(|(name, data_type)| Field::new(name, data_type, true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// A row for each device, operation and format that the router has counted.
fn stats(router: &Router) -> Result<RecordBatch> {
    let counters = router.counters();
    let counts = || {
        let devices = counters.devices.iter();
        devices.flat_map(|device| device.rows.iter().map(move |row| (device.device.as_ref(), row)))
    };
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(StringViewArray::from_iter_values(counts().map(|(device, _)| device))),
        Arc::new(StringViewArray::from_iter_values(counts().map(|(_, row)| row.operation))),
        Arc::new(StringViewArray::from_iter_values(counts().map(|(_, row)| row.format))),
    ];
    for (_, get) in COUNTS {
        columns.push(Arc::new(UInt64Array::from_iter_values(counts().map(|(_, row)| get(row)))));
    }
    let seconds = counts().map(|(_, row)| row.time.as_secs_f64());
    columns.push(Arc::new(Float64Array::from_iter_values(seconds)));
    rows(stats_schema(), columns)
}

fn codecs_schema() -> SchemaRef {
    schema([
        ("name", DataType::Utf8View),
        ("least_level", DataType::Int32),
        ("greatest_level", DataType::Int32),
        ("default_level", DataType::Int32),
    ])
}

/// A row for each codec; the levels are NULL if it has none.
fn codecs() -> Result<RecordBatch> {
    let levels = || Format::ALL.iter().map(|format| format.levels());
    let of = |format: &Format| format.levels().map(|_| Level::default_of(*format).value());
    rows(
        codecs_schema(),
        vec![
            Arc::new(StringViewArray::from_iter_values(Format::ALL.iter().map(|format| format.name()))),
            Arc::new(levels().map(|levels| levels.map(|of| *of.start())).collect::<Int32Array>()),
            Arc::new(levels().map(|levels| levels.map(|of| *of.end())).collect::<Int32Array>()),
            Arc::new(Format::ALL.iter().map(of).collect::<Int32Array>()),
        ],
    )
}
