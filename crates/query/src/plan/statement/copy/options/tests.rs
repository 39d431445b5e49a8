use super::*;
use crate::plan::statement::copy::grammar;
use crate::plan::statement::tokens;

fn read(end: &str) -> Result<Options, String> {
    let sql = format!("COPY t TO {end}");
    let copy = grammar::parse(&sql, &tokens::of(&sql)).unwrap_or_else(|error| panic!("{sql}: {error}"));
    Options::read(&copy.options, &copy.place, 2)
}

fn format(end: &str) -> RowFormat {
    read(end).unwrap_or_else(|error| panic!("{end}: {error}")).format
}

#[test]
fn the_place_or_an_option_names_the_format() {
    let gzip = Some(TextCodec { format: Format::Gzip, level: Format::Gzip.default_level() });
    let zstd = Some(TextCodec { format: Format::Zstd, level: Format::Zstd.default_level() });
    let times = TimeFormats::sql();
    let csv = CsvFormat { times: times.clone(), ..CsvFormat::default() };
    for (end, expected) in [
        ("'x.csv'", RowFormat::Csv(csv.clone(), None)),
        ("'a.b/x.CSV.gz'", RowFormat::Csv(csv.clone(), gzip)),
        ("'x' (FORMAT csv, COMPRESSION zstd)", RowFormat::Csv(csv.clone(), zstd)),
        ("'x.csv.gz' (CODEC none)", RowFormat::Csv(csv.clone(), None)),
        ("'x.tsv'", RowFormat::Csv(CsvFormat { delimiter: b'\t', ..csv }, None)),
        ("'x.json'", RowFormat::Json { is_array: false, times: times.clone(), codec: None }),
        ("'x.jsonl.zst' (ARRAY)", RowFormat::Json { is_array: true, times, codec: zstd }),
        ("'x.arrow'", RowFormat::Arrow { is_stream: false }),
        ("'x.parquet' (FORMAT arrows)", RowFormat::Arrow { is_stream: true }),
    ] {
        assert_eq!(format(end), expected, "{end}");
    }
    assert!(matches!(format("'x.parquet'"), RowFormat::Parquet(_)));
}

#[test]
fn wrong_options_are_refused_by_name() {
    for (end, part) in [
        ("'x'", "the end of \"x\" names no format"),
        ("'x.parquet.gz'", "names no format"),
        ("'x.parquet.gz' (FORMAT parquet)", "give option codec"),
        ("'x' (FORMAT rar)", "option format is \"rar\""),
        ("'x.csv' (window 512)", "FORMAT csv has no option window; there are header"),
        ("'x.json' (header)", "FORMAT json has no option header; there are array"),
        ("'x.arrow' (codec zstd)", "FORMAT arrow has no option codec; there are format"),
        ("'x.parquet' (header)", "FORMAT parquet has no option header; there are codec"),
        ("'x.csv' (codec brotli)", "text files have gzip, zstd and none"),
        ("'x.csv' (level 3)", "option level is 3; none has no levels"),
        ("'x.csv.gz' (level 13)", "option level is 13; gzip has 0 to 12"),
        ("'x.csv' (delimiter '||')", "give one character of ASCII"),
        ("'x.csv' (delimiter '\"')", "options delimiter and quote are the same"),
        ("'x.csv' (dateformat '%Q')", "option dateformat: \"%Q\" is no format of strftime"),
        ("'x.json' (dateformat '%H')", "option dateformat: \"%H\" is no format of strftime"),
        ("'x.csv' (force_quote (a))", "give *"),
        ("'x.csv' (partition_by ())", "option partition_by is empty"),
        ("'x.csv' (order_by)", "option order_by is empty"),
        ("'x.csv' (partition_by a, per_thread_output)", "do not go together"),
        ("'x.csv' (overwrite, append)", "do not go together"),
        ("'x.csv' (overwrite maybe)", "option overwrite is maybe; give true or false"),
    ] {
        let error = read(end).expect_err(end);
        assert!(error.contains(part), "{end}: {error}");
    }
}
