//! Columns of every type, filled from a seed.

use std::fmt::Write;
use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::NullBuffer;
use arrow::datatypes::*;
use arrow::record_batch::RecordBatch;
use pelton_random::Random;

/// Properties of the columns' values.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Rows.
    pub rows: usize,
    /// Share of nulls, 0 to 1.
    pub nulls: f64,
    /// At most how many different values a column has; few make dictionaries, many make writers
    /// give them up.
    pub distinct: usize,
    /// Seed.
    pub seed: u64,
}

/// Draws values of one column from a pool of at most `distinct`.
struct Source {
    shape: Shape,
    random: Random,
    salt: u64,
}

impl Source {
    fn new(shape: Shape, name: &str) -> Self {
        let salt =
            name.bytes().fold(shape.seed, |salt, byte| salt.wrapping_mul(31).wrapping_add(u64::from(byte)));
        Self { shape, random: Random::new(salt), salt }
    }

    /// Calls `make` for each row with random numbers that are the same for the same value of the
    /// pool.
    fn values<T>(&mut self, mut make: impl FnMut(&mut Random) -> T) -> Vec<T> {
        let pool = self.shape.distinct.max(1);
        let one = |_| {
            let value = self.random.below(pool) as u64;
            make(&mut Random::new(self.salt ^ value.wrapping_mul(0x5851_f42d_4c95_7f2d)))
        };
        (0..self.shape.rows).map(one).collect()
    }

    fn nulls(&mut self) -> Option<NullBuffer> {
        let share = self.shape.nulls;
        (share > 0.0).then(|| (0..self.shape.rows).map(|_| !self.random.chance(share)).collect())
    }
}

fn primitive<T: ArrowPrimitiveType>(
    source: &mut Source,
    make: impl FnMut(&mut Random) -> T::Native,
) -> PrimitiveArray<T> {
    let values = source.values(make);
    PrimitiveArray::new(values.into(), source.nulls())
}

/// Returns a number of up to `bits` bits with a sign, small ones as likely as large ones, the
/// extremes among them.
fn integer(random: &mut Random, bits: u32) -> i64 {
    let width = random.below(bits as usize) as u32;
    let value = (random.next() & ((1u64 << width) - 1)) as i64;
    match random.below(16) {
        0 => i64::MIN >> (64 - bits),
        1 => i64::MAX >> (64 - bits),
        sign => {
            if sign % 2 == 0 {
                value
            } else {
                -value
            }
        }
    }
}

fn double(random: &mut Random) -> f64 {
    match random.below(16) {
        0 => f64::INFINITY,
        1 => f64::NEG_INFINITY,
        2 => 0.0,
        _ => integer(random, 40) as f64 / 1024.0,
    }
}

/// Words: empty ones, some of up to 12 bytes, which a view holds itself, and longer ones; not only
/// ASCII.
fn word(random: &mut Random) -> String {
    const PARTS: [&str; 8] = ["", "a", "Zürich", "0", "the quick brown fox", "日本", "\u{1f600}", "-"];
    let parts = random.below(4);
    let mut text = String::new();
    for _ in 0..parts {
        let _ = write!(text, "{}{}", random.pick(&PARTS), random.below(1000));
    }
    text
}

fn bytes(random: &mut Random) -> Vec<u8> {
    let length = *random.pick(&[0, 1, 4, 12, 13, 40]);
    (0..length).map(|_| random.next() as u8).collect()
}

/// Returns a value that fits `precision` decimal digits.
fn decimal(random: &mut Random, precision: u8) -> i128 {
    let value = i128::from(random.next() as i64) * i128::from(random.next() as i64 >> random.below(60));
    value % 10i128.pow(u32::from(precision))
}

fn strings(source: &mut Source) -> Vec<Option<String>> {
    let values = source.values(word);
    let nulls = source.nulls();
    let keep = |row: usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
    values.into_iter().enumerate().map(|(row, value)| keep(row).then_some(value)).collect()
}

fn binaries(source: &mut Source) -> Vec<Option<Vec<u8>>> {
    let values = source.values(bytes);
    let nulls = source.nulls();
    let keep = |row: usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
    values.into_iter().enumerate().map(|(row, value)| keep(row).then_some(value)).collect()
}

/// Returns seconds of a point in time between 1900 and 2100.
fn seconds(random: &mut Random) -> i64 {
    random.below(6_311_433_600) as i64 - 2_208_988_800
}

/// Returns a column of every type without children, one named after each.
pub fn flat(shape: Shape) -> RecordBatch {
    const DAY: i64 = 86_400;
    let mut columns: Vec<(&'static str, ArrayRef)> = Vec::new();
    let mut add = |name: &'static str, make: &mut dyn FnMut(&mut Source) -> ArrayRef| {
        columns.push((name, make(&mut Source::new(shape, name))));
    };
    macro_rules! numbers {
        ($($name:literal: $type:ty = |$random:ident| $value:expr;)*) => {
            $(add($name, &mut |source| Arc::new(primitive::<$type>(source, |$random| $value)));)*
        };
    }
    numbers! {
        "i8": Int8Type = |r| integer(r, 8) as i8;
        "i16": Int16Type = |r| integer(r, 16) as i16;
        "i32": Int32Type = |r| integer(r, 32) as i32;
        "i64": Int64Type = |r| integer(r, 64);
        "u8": UInt8Type = |r| integer(r, 8) as u8;
        "u16": UInt16Type = |r| integer(r, 16) as u16;
        "u32": UInt32Type = |r| integer(r, 32) as u32;
        "u64": UInt64Type = |r| integer(r, 64) as u64;
        "f16": Float16Type = |r| <Float16Type as ArrowPrimitiveType>::Native::from_f64(double(r));
        "f32": Float32Type = |r| double(r) as f32;
        "f64": Float64Type = |r| double(r);
        "date32": Date32Type = |r| (seconds(r) / DAY) as i32;
        "date64": Date64Type = |r| seconds(r) / DAY * DAY * 1000;
        "time32_s": Time32SecondType = |r| r.below(86_400) as i32;
        "time32_ms": Time32MillisecondType = |r| r.below(86_400_000) as i32;
        "time64_us": Time64MicrosecondType = |r| r.below(86_400_000_000) as i64;
        "time64_ns": Time64NanosecondType = |r| r.below(86_400_000_000_000) as i64;
        "ts_s": TimestampSecondType = |r| seconds(r);
        "ts_ms": TimestampMillisecondType = |r| seconds(r) * 1000 + r.below(1000) as i64;
        "ts_us": TimestampMicrosecondType = |r| seconds(r) * 1_000_000 + r.below(1_000_000) as i64;
        "ts_ns": TimestampNanosecondType = |r| seconds(r) * 1_000_000_000 + r.below(1_000_000_000) as i64;
        "duration_ms": DurationMillisecondType = |r| integer(r, 48);
        "interval_ym": IntervalYearMonthType = |r| integer(r, 12) as i32;
        "interval_dt": IntervalDayTimeType = |r| IntervalDayTime::new(integer(r, 12) as i32, integer(r, 24) as i32);
    }
    add("bool", &mut |source| {
        let values: Vec<bool> = source.values(|random| random.chance(0.5));
        Arc::new(BooleanArray::new(values.into(), source.nulls()))
    });
    add("ts_us_utc", &mut |source| {
        Arc::new(
            primitive::<TimestampMicrosecondType>(source, |r| seconds(r) * 1_000_000).with_timezone("UTC"),
        )
    });
    add("ts_ms_zone", &mut |source| {
        let array = primitive::<TimestampMillisecondType>(source, |r| seconds(r) * 1000);
        Arc::new(array.with_timezone("Europe/Zurich"))
    });
    // the most digits that parquet keeps in integers of each width
    for (name, precision, scale) in [("dec32", 9, 2), ("dec64", 18, 3), ("dec128", 38, 10)] {
        add(name, &mut |source| {
            let array = primitive::<Decimal128Type>(source, |r| decimal(r, precision));
            Arc::new(array.with_precision_and_scale(precision, scale).expect("the precision is in range"))
        });
    }
    add("dec256", &mut |source| {
        let array = primitive::<Decimal256Type>(source, |r| i256::from_i128(decimal(r, 38)));
        Arc::new(array.with_precision_and_scale(60, 5).expect("the precision is in range"))
    });
    add("utf8", &mut |source| Arc::new(StringArray::from(strings(source))));
    add("large_utf8", &mut |source| Arc::new(LargeStringArray::from(strings(source))));
    add("utf8_view", &mut |source| Arc::new(StringViewArray::from(strings(source))));
    add("binary", &mut |source| {
        Arc::new(binaries(source).iter().map(Option::as_deref).collect::<BinaryArray>())
    });
    add("large_binary", &mut |source| {
        Arc::new(binaries(source).iter().map(Option::as_deref).collect::<LargeBinaryArray>())
    });
    add("fixed16", &mut |source| {
        let values =
            source.values(|random| [random.next().to_le_bytes(), random.next().to_be_bytes()].concat());
        let values: Vec<u8> = values.concat();
        Arc::new(FixedSizeBinaryArray::new(16, values.into(), source.nulls()))
    });
    add("dictionary", &mut |source| {
        let values = strings(source);
        Arc::new(values.iter().map(Option::as_deref).collect::<DictionaryArray<Int32Type>>())
    });
    let has_nulls = shape.nulls > 0.0;
    let columns = columns.into_iter().map(|(name, array)| (name, array, has_nulls));
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}

fn list_of(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", item, true)))
}

fn struct_of(fields: &[(&str, DataType)]) -> DataType {
    DataType::Struct(fields.iter().map(|(name, of)| Field::new(*name, of.clone(), true)).collect())
}

/// Returns the schema of [`nested`].
pub fn nested_schema() -> SchemaRef {
    let entries = DataType::Struct(Fields::from(vec![
        Field::new("keys", DataType::Utf8, false),
        Field::new("values", DataType::Int32, true),
    ]));
    let map = DataType::Map(Arc::new(Field::new("entries", entries, false)), false);
    let point = struct_of(&[("x", DataType::Int32), ("y", DataType::Float64)]);
    let deep = struct_of(&[("name", DataType::Utf8), ("points", list_of(point.clone()))]);
    let fields = [
        ("id", DataType::Int64),
        ("list", list_of(DataType::Int32)),
        ("words", list_of(DataType::Utf8)),
        ("matrix", list_of(list_of(DataType::Int64))),
        ("point", point),
        (
            "deep",
            struct_of(&[("inner", struct_of(&[("flag", DataType::Boolean), ("text", DataType::Utf8)]))]),
        ),
        ("structs", list_of(deep)),
        ("map", map),
    ];
    Arc::new(Schema::new(fields.map(|(name, of)| Field::new(name, of, true)).to_vec()))
}

/// Columns with children: lists, structs, maps, and lists of structs of lists. `id` counts the
/// rows.
pub fn nested(shape: Shape) -> RecordBatch {
    let schema = nested_schema();
    let mut random = Random::new(shape.seed);
    let mut text = String::new();
    for row in 0..shape.rows {
        text.push('{');
        for (index, field) in schema.fields().iter().enumerate() {
            let separator = if index > 0 { "," } else { "" };
            let value = match index {
                0 => row.to_string(),
                _ => json(field.data_type(), shape.nulls, &mut random),
            };
            let _ = write!(text, "{separator}\"{}\":{value}", field.name());
        }
        text.push_str("}\n");
    }
    let reader = arrow::json::ReaderBuilder::new(schema).with_batch_size(shape.rows.max(1));
    let mut reader = reader.build(text.as_bytes()).expect("the schema can be read from JSON");
    match reader.next() {
        Some(batch) => batch.expect("the JSON is well-formed"),
        None => RecordBatch::new_empty(nested_schema()),
    }
}

/// Returns a value of the type as JSON.
fn json(data_type: &DataType, nulls: f64, random: &mut Random) -> String {
    if random.chance(nulls) {
        return "null".to_owned();
    }
    match data_type {
        DataType::Int32 | DataType::Int64 => integer(random, 20).to_string(),
        DataType::Float64 => (integer(random, 20) as f64 / 8.0).to_string(),
        DataType::Boolean => random.chance(0.5).to_string(),
        DataType::Utf8 => format!("\"{}\"", word(random)),
        DataType::List(item) => {
            let length = *random.pick(&[0, 0, 1, 2, 3, 9]);
            let items: Vec<_> = (0..length).map(|_| json(item.data_type(), nulls, random)).collect();
            format!("[{}]", items.join(","))
        }
        DataType::Struct(fields) => {
            let fields =
                fields.iter().map(|f| format!("\"{}\":{}", f.name(), json(f.data_type(), nulls, random)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        DataType::Map(..) => {
            let entries = (0..random.below(4)).map(|key| format!("\"k{key}\":{}", key * 7));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
        other => panic!("no JSON is made for {other}"),
    }
}
