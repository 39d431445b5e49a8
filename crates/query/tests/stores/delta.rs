//! Delta tables, written by hand.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::many_files::write;
use super::support::{Engine, parquet};

/// Six of the first thirty rows, as a log has them within itself: a Roaring bitmap in Z85.
const SIX_ROWS: &str = r#""deletionVector":{"storageType":"i","pathOrInlineDv":"^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L","sizeInBytes":44,"cardinality":6},"#;

/// Actions of a table with columns `x`, `s` and the partition column `p` between them.
pub fn protocol(fields: &str, partitions: &str, configuration: &str) -> String {
    let schema = format!("{{\"type\":\"struct\",\"fields\":[{fields}]}}").replace('"', "\\\"");
    let features = r#"["deletionVectors","columnMapping"]"#;
    format!(
        "{{\"protocol\":{{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":{features},\"writerFeatures\":{features}}}}}\n\
         {{\"metaData\":{{\"id\":\"t\",\"format\":{{\"provider\":\"parquet\",\"options\":{{}}}},\"schemaString\":\"{schema}\",\
         \"partitionColumns\":[{partitions}],\"configuration\":{{{configuration}}},\"createdTime\":0}}}}\n"
    )
}

pub const FIELDS: &str = r#"{"name":"x","type":"long","nullable":true,"metadata":{}},{"name":"p","type":"date","nullable":true,"metadata":{}},{"name":"s","type":"string","nullable":true,"metadata":{}}"#;

/// Returns the action that adds a file with the numbers `x` from `start` on.
pub fn add(path: &str, partition: &str, size: usize, start: i64, rows: i64, vector: &str) -> String {
    let last = start + rows - 1;
    format!(
        "{{\"add\":{{\"path\":\"{path}\",\"partitionValues\":{{{partition}}},\"size\":{size},\"modificationTime\":1,{vector}\"dataChange\":true,\
         \"stats\":\"{{\\\"numRecords\\\":{rows},\\\"minValues\\\":{{\\\"x\\\":{start}}},\\\"maxValues\\\":{{\\\"x\\\":{last}}},\\\"nullCount\\\":{{\\\"x\\\":0}}}}\"}}}}\n"
    )
}

struct Table {
    _folder: TempDir,
    path: PathBuf,
}

impl Table {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a table");
        Self { _folder: folder, path }
    }

    fn place(&self) -> &str {
        self.path.to_str().expect("a plain name")
    }

    fn commit(&self, version: u64, actions: &str) {
        write(&self.path.join(format!("_delta_log/{version:020}.json")), actions.as_bytes());
    }

    /// Writes a file of the table and returns its size.
    fn file(&self, name: &str, start: i64, rows: i64) -> usize {
        let bytes = parquet(start, rows);
        write(&self.path.join(Path::new(name)), &bytes);
        bytes.len()
    }
}

/// A table whose second version has another file in place of one that is still in the folder.
fn versions() -> Table {
    let table = Table::new();
    let sizes = [
        table.file("a.parquet", 0, 100),
        table.file("b b.parquet", 100, 100),
        table.file("c.parquet", 200, 50),
    ];
    let day = r#""p":"2026-11-27""#;
    let first = add("a.parquet", day, sizes[0], 0, 100, "")
        + &add("b%20b.parquet", r#""p":null"#, sizes[1], 100, 100, "");
    table.commit(0, &(protocol(FIELDS, "\"p\"", "") + &first));
    let removed = "{\"remove\":{\"path\":\"a.parquet\",\"deletionTimestamp\":1,\"dataChange\":true}}\n";
    table.commit(1, &(removed.to_owned() + &add("c.parquet", day, sizes[2], 200, 50, "")));
    table
}

#[test]
fn the_log_says_which_files_count() {
    let (table, engine) = (versions(), Engine::new());
    let place = table.place();
    let all = |from: &str| engine.text(&format!("SELECT count(*), min(x), max(x), count(p) FROM {from}"));
    assert_eq!(all(&format!("'{place}'")), ["150|100|249|50"]);
    assert_eq!(all(&format!("delta_scan('{place}')")), ["150|100|249|50"]);
    assert_eq!(all(&format!("delta_scan('{place}', version := 0)")), ["200|0|199|100"]);
    let row = engine.text(&format!("SELECT * FROM '{place}' WHERE x = 249"));
    assert_eq!(row, ["249|2026-11-27|row 249"], "columns are in the table's order");
    assert_eq!(engine.text(&format!("SELECT count(*) FROM '{place}' WHERE p = DATE '2026-11-27'")), ["50"]);
    assert_eq!(engine.text(&format!("SELECT min(x) FROM '{place}' WHERE p IS NULL")), ["100"]);
    let error = engine.error(&format!("SELECT 1 FROM delta_scan('{place}', version := 7)"));
    assert!(error.starts_with(place), "{error}");
}

#[test]
fn files_are_ruled_out_by_the_statistics_of_the_log() {
    let (table, engine) = (versions(), Engine::new());
    let place = table.place();
    std::fs::remove_file(table.path.join("b b.parquet")).expect("it is there");
    for condition in ["x >= 200", "x > 199 AND s LIKE 'row%'", "x = 210 OR x = 220", "p = DATE '2026-11-27'"]
    {
        let sql = format!("SELECT count(*) FROM '{place}' WHERE {condition}");
        assert!(engine.rows(&sql).is_ok(), "{condition} needs no other file: {:?}", engine.rows(&sql));
    }
    let error = engine.error(&format!("SELECT count(*) FROM '{place}' WHERE x < 200"));
    assert!(error.contains("b%20b.parquet: ") && error.contains("no such file"), "{error}");
}

#[test]
fn deleted_rows_are_left_out() {
    let (table, engine) = (Table::new(), Engine::new());
    let size = table.file("a.parquet", 0, 3000);
    table.commit(
        0,
        &(protocol(FIELDS, "\"p\"", "") + &add("a.parquet", r#""p":null"#, size, 0, 3000, SIX_ROWS)),
    );
    let place = table.place();
    let text = |sql: &str| engine.text(&sql.replace("TABLE", &format!("'{place}'")));
    assert_eq!(text("SELECT count(*) FROM TABLE"), ["2994"]);
    assert_eq!(text("SELECT count(*), sum(x) FROM TABLE WHERE x < 30"), ["24|363"]);
    assert_eq!(text("SELECT x FROM TABLE LIMIT 8"), ["0", "1", "2", "5", "6", "8", "9", "10"]);
    assert!(text("SELECT x FROM TABLE WHERE s = 'row 18'").is_empty());
    assert_eq!(text("SELECT count(DISTINCT p), count(p), max(x) FROM TABLE"), ["0|0|2999"]);
}

#[test]
fn renamed_columns_are_read_by_their_names_in_the_files() {
    let (table, engine) = (Table::new(), Engine::new());
    let size = table.file("a.parquet", 0, 100);
    // the column that files call x was renamed to y, and a new x was added
    let field = |name: &str, id: u32, physical: &str, data_type: &str| {
        format!(
            r#"{{"name":"{name}","type":"{data_type}","nullable":true,"metadata":{{"delta.columnMapping.id":{id},"delta.columnMapping.physicalName":"{physical}"}}}}"#
        )
    };
    let fields =
        [field("y", 1, "x", "long"), field("s", 2, "s", "string"), field("x", 3, "col-3", "long")].join(",");
    let configuration = r#""delta.columnMapping.mode":"name","delta.columnMapping.maxColumnId":"3""#;
    table.commit(0, &(protocol(&fields, "", configuration) + &add("a.parquet", "", size, 0, 100, "")));
    let place = table.place();
    let text = |sql: &str| engine.text(&sql.replace("TABLE", &format!("'{place}'")));
    assert_eq!(text("SELECT * FROM TABLE WHERE y = 7"), ["7|row 7|"]);
    assert_eq!(text("SELECT count(*), count(x) FROM TABLE"), ["100|0"]);
    assert_eq!(text("SELECT count(*) FROM TABLE WHERE x IS NULL AND y >= 90"), ["10"]);
    assert_eq!(text("SELECT count(*) FROM TABLE WHERE x > 1000"), ["0"]);
    assert_eq!(text("SELECT max(y) FROM TABLE WHERE y > 50"), ["99"]);
}

#[test]
fn damaged_logs_are_errors_with_the_place() {
    let engine = Engine::new();
    for (cause, actions) in [
        ("No table metadata or protocol", add("a.parquet", "", 1, 0, 1, "")),
        ("Json error", "{\"protocol\"".to_owned()),
        (
            "Failed to parse value 'x' as 'date'",
            protocol(FIELDS, "\"p\"", "") + &add("a.parquet", r#""p":"x""#, 10, 0, 1, ""),
        ),
        (
            "outside of its folder",
            protocol(FIELDS, "\"p\"", "") + &add("file:///etc/a.parquet", r#""p":null"#, 10, 0, 1, ""),
        ),
        ("Column mapping is enabled", protocol(FIELDS, "\"p\"", r#""delta.columnMapping.mode":"id""#)),
    ] {
        let table = Table::new();
        table.commit(0, &actions);
        let error = engine.error(&format!("SELECT count(*), max(x) FROM '{}'", table.place()));
        assert!(error.contains(cause), "{cause}: {error}");
        assert!(error.starts_with(table.place()) && !error.contains('\n'), "{cause}: {error}");
    }
}
