//! The tables of the cases; `tests/sql/README.md` describes them.

use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::*;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterPropertiesBuilder;
use pelton_codec::{Encoder, Format, compress_bound};
use pelton_tests::document::Document;
use pelton_tests::file::{parquet, small_pages};

use crate::support::Scratch;

/// Those that are registered under their names.
pub const TABLES: [&str; 9] =
    ["people", "orders", "numbers", "types", "prices", "empty", "outers", "inners", "links"];

/// Rows of `numbers`.
const NUMBERS: usize = 200_000;

/// Returns every page with its checksum.
fn file(batch: RecordBatch, properties: WriterPropertiesBuilder) -> Vec<u8> {
    let mut document = Document::parse(&parquet(&[batch], properties.build()));
    document.add_checksums();
    document.write()
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .expect("columns of one length")
}

fn words(words: &[&str]) -> ArrayRef {
    // a dash stands for null
    Arc::new(words.iter().map(|word| (*word != "-").then_some(*word)).collect::<StringArray>())
}

fn json(schema: Schema, lines: &str) -> RecordBatch {
    let mut reader =
        arrow::json::ReaderBuilder::new(Arc::new(schema)).build(lines.as_bytes()).expect("a schema");
    reader.next().expect("there are rows").expect("they fit the schema")
}

fn people() -> RecordBatch {
    let lines = r#"
        {"id":1,"name":"Ada","age":36,"height":1.65,"born":"1815-12-10","salary":"1200.50","member":true,"joined":"2020-01-15T08:30:00","tags":["math","poetry"],"address":{"city":"London","zip":"W1"}}
        {"id":2,"name":"Grace","age":85,"height":1.52,"born":"1906-12-09","salary":"3100.00","member":true,"joined":"2020-03-01T00:00:00","tags":["navy"],"address":{"city":"New York","zip":"10001"}}
        {"id":3,"name":"Alan","age":41,"height":1.78,"born":"1912-06-23","salary":"950.25","member":false,"joined":"2021-06-23T12:00:00","tags":[],"address":{"city":"London","zip":null}}
        {"id":4,"name":"Edsger","age":72,"height":null,"born":"1930-05-11","salary":"2750.75","member":true,"joined":"2019-11-11T11:11:11","tags":["graphs","essays","graphs"],"address":{"city":"Nuenen","zip":"5671"}}
        {"id":5,"name":"Barbara","age":null,"height":1.60,"born":"1939-11-07","salary":"4100.00","member":null,"joined":null,"tags":null,"address":null}
        {"id":6,"name":"Donald","age":86,"height":1.93,"born":"1938-01-10","salary":"4100.00","member":true,"joined":"2022-02-02T02:02:02","tags":["art","organ"],"address":{"city":"Stanford","zip":"94305"}}
        {"id":7,"name":"Émilie","age":42,"height":1.63,"born":"1706-12-17","salary":"-15.00","member":false,"joined":"2020-01-15T08:30:00","tags":["physics"],"address":{"city":"Paris","zip":"75001"}}
        {"id":8,"name":"","age":0,"height":0.5,"born":"2024-02-29","salary":"0.00","member":false,"joined":"2024-02-29T23:59:59","tags":[null],"address":{"city":null,"zip":null}}
        {"id":9,"name":null,"age":7,"height":1.20,"born":null,"salary":null,"member":true,"joined":"2023-07-07T07:07:07","tags":["x"],"address":{"city":"Paris","zip":"75005"}}
        {"id":10,"name":"Zoë","age":42,"height":1.70,"born":"1982-09-30","salary":"1200.50","member":null,"joined":"2021-01-01T00:00:00","tags":["math","x"],"address":{"city":"Zürich","zip":"8001"}}
    "#;
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let schema = Schema::new(vec![
        Field::new("id", DataType::Int64, false),
        text("name"),
        Field::new("age", DataType::Int32, true),
        Field::new("height", DataType::Float64, true),
        Field::new("born", DataType::Date32, true),
        Field::new("salary", DataType::Decimal128(10, 2), true),
        Field::new("member", DataType::Boolean, true),
        Field::new("joined", DataType::Timestamp(TimeUnit::Microsecond, None), true),
        Field::new("tags", DataType::List(Arc::new(text("item"))), true),
        Field::new("address", DataType::Struct(Fields::from(vec![text("city"), text("zip")])), true),
    ]);
    json(schema, lines)
}

fn orders() -> RecordBatch {
    // person 11 is not there; person 3 has no order
    let person = [1, 1, 2, 4, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 1, 2, 4, 6, 11, 11];
    let amount = Decimal128Array::from_iter_values((0..20i128).map(|n| (n * 37 % 23) * 125 + 99));
    batch(vec![
        ("order_id", Arc::new(Int64Array::from_iter_values(100..120))),
        ("person_id", Arc::new(Int64Array::from_iter_values(person))),
        ("amount", Arc::new(amount.with_precision_and_scale(12, 2).expect("in range"))),
        ("day", Arc::new(Date32Array::from_iter_values((0..20).map(|n| 19_000 + n * 17)))),
        ("status", words(&["open", "paid", "paid", "-", "open"].repeat(4))),
    ])
}

fn numbers() -> RecordBatch {
    let scattered = |n: usize| (n * 7919) % 200_003;
    batch(vec![
        ("n", Arc::new(Int64Array::from_iter_values(0..NUMBERS as i64))),
        ("m", Arc::new(Int32Array::from_iter_values((0..NUMBERS).map(|n| scattered(n) as i32)))),
        ("k", Arc::new(Int16Array::from_iter_values((0..NUMBERS).map(|n| (n % 1000) as i16)))),
        (
            "s",
            Arc::new(StringArray::from_iter_values(
                (0..NUMBERS).map(|n| format!("key number {}", scattered(n) % 5000)),
            )),
        ),
        (
            "x",
            Arc::new((0..NUMBERS).map(|n| (n % 10 != 0).then_some(n as f64 / 4.0)).collect::<Float64Array>()),
        ),
    ])
}

/// Returns one column of each type, five rows: small, negative or early, null, large or late, and
/// zero or empty.
fn types() -> RecordBatch {
    let decimal = |values: [Option<i128>; 5], precision, scale| -> ArrayRef {
        let array = Decimal128Array::from(values.to_vec());
        Arc::new(array.with_precision_and_scale(precision, scale).expect("in range"))
    };
    let bytes: [Option<&[u8]>; 5] =
        [Some(b"\x01"), Some(b"\xff\xfe"), None, Some(b"abcdefghijklmnop"), Some(b"")];
    batch(vec![
        ("id", Arc::new(Int64Array::from_iter_values(1..6))),
        ("i8", Arc::new(Int8Array::from(vec![Some(1), Some(-128), None, Some(127), Some(0)]))),
        ("i16", Arc::new(Int16Array::from(vec![Some(1), Some(i16::MIN), None, Some(i16::MAX), Some(0)]))),
        ("i32", Arc::new(Int32Array::from(vec![Some(1), Some(i32::MIN), None, Some(i32::MAX), Some(0)]))),
        ("i64", Arc::new(Int64Array::from(vec![Some(1), Some(i64::MIN), None, Some(i64::MAX), Some(0)]))),
        ("u8", Arc::new(UInt8Array::from(vec![Some(1), Some(2), None, Some(255), Some(0)]))),
        ("u16", Arc::new(UInt16Array::from(vec![Some(1), Some(2), None, Some(u16::MAX), Some(0)]))),
        ("u32", Arc::new(UInt32Array::from(vec![Some(1), Some(2), None, Some(u32::MAX), Some(0)]))),
        ("u64", Arc::new(UInt64Array::from(vec![Some(1), Some(2), None, Some(u64::MAX), Some(0)]))),
        (
            "f32",
            Arc::new(Float32Array::from(vec![Some(1.5), Some(-2.25), None, Some(f32::INFINITY), Some(0.0)])),
        ),
        ("f64", Arc::new(Float64Array::from(vec![Some(1.5), Some(-2.25), None, Some(1e300), Some(0.0)]))),
        ("dec9", decimal([Some(150), Some(-225), None, Some(999_999_999), Some(0)], 9, 2)),
        ("dec18", decimal([Some(1500), Some(-2250), None, Some(999_999_999_999_999_999), Some(0)], 18, 3)),
        ("dec38", decimal([Some(15), Some(-22), None, Some(10i128.pow(37)), Some(0)], 38, 1)),
        ("date", Arc::new(Date32Array::from(vec![Some(1), Some(-25_567), None, Some(47_482), Some(0)]))),
        (
            "time",
            Arc::new(Time64MicrosecondArray::from(vec![
                Some(1),
                Some(3_600_000_000),
                None,
                Some(86_399_999_999),
                Some(0),
            ])),
        ),
        (
            "ts",
            Arc::new(TimestampMicrosecondArray::from(vec![
                Some(1),
                Some(-2_208_988_800_000_000),
                None,
                Some(4_102_444_800_000_000),
                Some(0),
            ])),
        ),
        (
            "tsz",
            Arc::new(
                TimestampMillisecondArray::from(vec![
                    Some(1),
                    Some(-2_208_988_800_000),
                    None,
                    Some(4_102_444_800_000),
                    Some(0),
                ])
                .with_timezone("UTC"),
            ),
        ),
        (
            "text",
            Arc::new(StringArray::from(vec![
                Some("a"),
                Some("B"),
                None,
                Some("zzz, longer than a view holds"),
                Some(""),
            ])),
        ),
        ("bytes", Arc::new(BinaryArray::from(bytes.to_vec()))),
        ("flag", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None, Some(true), Some(false)]))),
    ])
}

/// Returns every price up to 200.00, as a decimal and as the double nearest to it.
fn prices() -> RecordBatch {
    let decimals = Decimal128Array::from_iter_values(0..=20_000i128);
    batch(vec![
        ("id", Arc::new(Int64Array::from_iter_values(0..=20_000))),
        ("p", Arc::new(decimals.with_precision_and_scale(12, 2).expect("in range"))),
        ("d", Arc::new(Float64Array::from_iter_values((0..=20_000).map(|n| f64::from(n) / 100.0)))),
    ])
}

/// Makes rows of subqueries and of the queries around them, with NULL and equal ones. In a line,
/// `-` is NULL.
fn keyed(third: &str, lines: &[(&str, &str)]) -> RecordBatch {
    let number = |line: &&str, at: usize| line.split(' ').nth(at).and_then(|word| word.parse::<i32>().ok());
    let numbers =
        |at| -> ArrayRef { Arc::new(lines.iter().map(|(line, _)| number(line, at)).collect::<Int32Array>()) };
    let texts: Vec<&str> = lines.iter().map(|(_, text)| *text).collect();
    batch(vec![("id", numbers(0)), ("g", numbers(1)), (third, numbers(2)), ("s", words(&texts))])
}

fn outers() -> RecordBatch {
    keyed(
        "x",
        &[
            ("1 1 10", "a"),
            ("2 2 20", "b"),
            ("3 - 30", "c"),
            ("4 2 -", "b"),
            ("- 1 50", "-"),
            ("6 3 10", "d"),
            ("6 3 10", "d"),
            ("7 0 -5", ""),
        ],
    )
}

fn inners() -> RecordBatch {
    keyed(
        "y",
        &[
            ("1 1 10", "a"),
            ("- 2 20", "b"),
            ("3 2 -", "b"),
            ("4 - 5", "z"),
            ("5 3 10", "-"),
            ("5 3 11", "d"),
            ("2 1 10", "a"),
        ],
    )
}

fn links() -> RecordBatch {
    let rows =
        [("1 1 1", "a"), ("2 1 2", "b"), ("3 2 3", "c"), ("4 2 2", "b"), ("5 2 1", "a"), ("6 4 4", "d")];
    keyed("y", &rows)
}

fn part(from: i64, to: i64) -> RecordBatch {
    batch(vec![
        ("n", Arc::new(Int64Array::from_iter_values(from..to))),
        ("word", Arc::new(StringArray::from_iter_values((from..to).map(|n| format!("w{n}"))))),
    ])
}

/// Returns a part of a table whose columns differ between files: the second is wider and longer.
fn mixed(is_second: bool) -> RecordBatch {
    let names = words(&["a", "b", "-", "d", "e", "f"]);
    match is_second {
        false => batch(vec![
            ("id", Arc::new(Int32Array::from_iter_values(1..7))),
            ("name", names),
            ("score", Arc::new(Float32Array::from_iter_values((0..6).map(|n| n as f32 / 2.0)))),
        ]),
        true => batch(vec![
            ("id", Arc::new(Int64Array::from_iter_values((0..6).map(|n| 4 + n * 1_000_000_000_000)))),
            ("name", names),
            ("score", Arc::new(Float64Array::from_iter_values((0..6).map(|n| f64::from(n) + 0.1)))),
            ("extra", words(&["x", "-", "y", "x", "-", "z"])),
        ]),
    }
}

const CSV: &str = "id,name,price,day,seen\n1,\"Ada, L.\",2.50,2024-01-31,2024-01-31 10:00:00\n\
                   2,Grace,,2024-02-01,2024-02-01 11:30:00.5\n3,\"a \"\"b\"\"\",-1e3,,\n";

const NDJSON: &str = r#"{"id":1,"name":"Ada","tags":["x","y"],"at":{"city":"London","zip":1}}
{"id":2,"name":null,"score":1.5,"day":"2024-02-01"}
{"id":3,"tags":[],"at":{"city":"Paris","open":true},"score":2}
"#;

/// Writes files of text, also compressed and damaged.
fn write_text(scratch: &Scratch) {
    let packed = |format: Format, plain: &[u8]| {
        let mut packed = vec![0; compress_bound(format, plain.len())];
        let done = Encoder::new().compress(format, format.default_level(), plain, &mut packed);
        packed.truncate(done.expect("there is room").produced);
        packed
    };
    scratch.write("text/a.csv", CSV.as_bytes());
    let gzip = packed(Format::Gzip, CSV.as_bytes());
    scratch.write("text/a.csv.gz", &gzip);
    scratch.write("text/a.csv.zst", &packed(Format::Zstd, CSV.as_bytes()));
    scratch.write("text/cut.csv.gz", &gzip[..gzip.len() - 9]);
    let mut damaged = gzip.clone();
    damaged[gzip.len() - 6] ^= 1;
    scratch.write("text/sum.csv.gz", &damaged);
    scratch.write("text/no.csv.gz", CSV.as_bytes());
    scratch.write("text/semicolons.csv", b"k;v\n1;x\n2;\"y;z\"\n");
    scratch.write("text/quotes.csv", b"a,b\n1,\"x\n");
    scratch.write("text/ragged.csv", b"a,b\n1,2\n3\n");
    scratch.write("text/bytes.csv", b"a,b\n1,\xff\n");
    scratch.write("text/late.csv", format!("a,b\n{}x,1\n", "1,2\n".repeat(30_000)).as_bytes());
    scratch.write("text/empty.csv", b"");
    scratch.write("text/more/1.csv", b"a,b\n1,2\n");
    scratch.write("text/more/2.csv", b"b,a,c\n1.5,x,3\n");
    scratch.write("text/days/day=2024-01-01/x.csv", b"n\n1\n2\n");
    scratch.write("text/days/day=2024-01-02/x.csv", b"n\n3\n");
    scratch.write("text/o.ndjson", NDJSON.as_bytes());
    scratch.write("text/o.json.gz", &packed(Format::Gzip, NDJSON.as_bytes()));
    let array = format!("\n[ {} ]\n", NDJSON.trim().replace('\n', " ,\n"));
    scratch.write("text/array.json", array.as_bytes());
    scratch.write("text/cut.json", &array.as_bytes()[..array.len() - 12]);
    scratch.write("text/half.ndjson", &NDJSON.as_bytes()[..100]);
    scratch.write("text/numbers.json", b"[1, 2]");
    scratch.write("text/nested.json", br#"{"a":{"b":1}}"#);
    scratch.write("text/members.json", br#"{"a":1} {"a":1,"a":2}"#);
    scratch.write("text/both.json", br#"{"a":[1]} {"a":2}"#);
    scratch.write("text/commas/end.json", br#"[{"a":1},{"a":2},]"#);
    scratch.write("text/commas/missing.json", br#"[{"a":1}{"a":2}]"#);
    scratch.write("text/commas/two.json", br#"[{"a":1},,{"a":2}]"#);
    scratch.write("text/commas/lines.ndjson", b"{\"a\":1}\n,\n{\"a\":2}\n");
    scratch.write("text/lines.csv", b"\na\n1\n\n2\r\n\r\n\n");
}

/// Writes a folder with links to a file in it, to a folder in it, and to itself.
fn write_links(scratch: &Scratch) {
    let rows = file(part(0, 2), small_pages(Compression::SNAPPY, 2, 4));
    scratch.write("linked/a/b/x.csv", b"n\n1\n");
    scratch.write("linked/a/y.parquet", &rows);
    for (target, name) in [("a/y.parquet", "z.parquet"), ("a", "link"), ("../..", "a/b/up"), (".", "self")] {
        let link = scratch.path(&format!("linked/{name}"));
        std::os::unix::fs::symlink(target, link).expect("a link can be made");
    }
}

/// Writes the largest table.
pub fn write_numbers(scratch: &Scratch, codec: Compression) {
    scratch.write("numbers.parquet", &file(numbers(), small_pages(codec, 1_000, 50_000)));
}

/// Writes all of them.
pub fn write(scratch: &Scratch) {
    let gzip = Compression::GZIP(GzipLevel::default());
    let zstd = Compression::ZSTD(ZstdLevel::default());
    scratch.write("people.parquet", &file(people(), small_pages(gzip, 3, 6)));
    scratch.write("orders.parquet", &file(orders(), small_pages(Compression::SNAPPY, 5, 10)));
    write_numbers(scratch, zstd);
    scratch.write("types.parquet", &file(types(), small_pages(Compression::LZ4_RAW, 2, 5)));
    scratch.write("prices.parquet", &file(prices(), small_pages(Compression::SNAPPY, 500, 5_000)));
    scratch.write("empty.parquet", &file(people().slice(0, 0), small_pages(gzip, 3, 6)));
    let small = || small_pages(Compression::SNAPPY, 2, 4);
    scratch.write("outers.parquet", &file(outers(), small()));
    scratch.write("inners.parquet", &file(inners(), small()));
    scratch.write("links.parquet", &file(links(), small()));
    for (name, from, to) in [("a", 0, 5), ("b", 5, 9), ("c", 9, 10)] {
        scratch.write(&format!("parts/{name}.parquet"), &file(part(from, to), small()));
    }
    scratch.write("mixed/a.parquet", &file(mixed(false), small_pages(gzip, 2, 3)));
    scratch.write("mixed/b.parquet", &file(mixed(true), small_pages(gzip, 2, 3)));
    write_text(scratch);
    write_links(scratch);
    scratch.write("parts/notes.txt", b"no Parquet");
    // the folder of Spark's unfinished files
    scratch.write("parts/_temporary/0/d.parquet", b"no Parquet either");
    let months = [(2023, 11), (2023, 12), (2024, 1), (2024, 2)];
    for (index, (year, month)) in months.into_iter().enumerate() {
        let from = index as i64 * 10;
        let name = format!("events/year={year}/month={month}/part-0.parquet");
        scratch.write(&name, &file(part(from, from + 3), small()));
    }
    for (index, region) in ["north", "two%20words", "__HIVE_DEFAULT_PARTITION__", "7"].into_iter().enumerate()
    {
        let from = index as i64 * 100;
        scratch.write(&format!("regions/region={region}/x.parquet"), &file(part(from, from + 2), small()));
    }
}
