use super::*;

fn text(text: &str) -> OptionValue {
    OptionValue::Text(text.to_owned())
}

fn number(number: i64) -> OptionValue {
    OptionValue::Other(number.to_string())
}

fn read(options: &[(&str, OptionValue)]) -> Result<WriteOptions, String> {
    let mut read = ParquetOptions::default();
    for (name, value) in options {
        assert!(read.read(name, value)?, "{name}");
    }
    read.finish("gzip", 3)
}

#[test]
fn options_are_read_by_either_name() {
    let plain = read(&[]).expect("defaults");
    let level = Level::new(Format::Gzip, GZIP_LEVEL).expect("a level");
    assert_eq!(plain.packing, Packing::Gzip { window: Window::FULL, level });
    assert_eq!(plain.threads, 3);
    for names in
        [["codec", "level", "row_group_rows"], ["compression", "compression_level", "row_group_size"]]
    {
        let found = read(&[(names[0], text("ZSTD")), (names[1], number(7)), (names[2], text("1000"))]);
        let found = found.expect("good options");
        assert_eq!(found.packing, Packing::Zstd { level: Level::new(Format::Zstd, 7).expect("a level") });
        assert_eq!((found.row_group_rows, found.bloom_filters), (1000, true));
    }
    assert!(!read(&[("bloom_filters", text("false"))]).expect("good").bloom_filters);
    assert!(!ParquetOptions::default().read("header", &OptionValue::Absent).expect("not one of these"));
}

#[test]
fn wrong_values_are_refused_by_name() {
    for (options, expected) in [
        (vec![("codec", number(5))], "option codec is 5; give a text"),
        (vec![("codec", text("rar"))], "option codec is \"rar\"; there are gzip"),
        (vec![("level", text("x"))], "option level is x; give a whole number"),
        (vec![("codec", text("zstd")), ("level", number(23))], "option level is 23; zstd has 1 to 22"),
        (vec![("codec", text("snappy")), ("level", number(1))], "snappy has no levels"),
        (vec![("window", number(1000))], "give a power of two"),
        (vec![("codec", text("zstd")), ("window", number(4096))], "option window is for gzip"),
        (vec![("row_group_rows", number(0))], "option row_group_rows is 0; give 1 or more"),
        (vec![("bloom_filters", text("maybe"))], "option bloom_filters is maybe; give true or false"),
        (vec![("row_group_size", OptionValue::List(vec!["1".into()]))], "is [1]; give a whole number"),
    ] {
        let error = read(&options).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
}
