use super::Codec;

#[test]
fn codecs_print_as_they_parse() {
    for text in [
        "none",
        "gzip",
        "gzip:9",
        "gzip-4k",
        "snappy",
        "zstd",
        "zstd:19",
        "lz4_raw",
        "lz4",
        "brotli",
        "brotli:11",
    ] {
        let codec: Codec = text.parse().unwrap();
        assert_eq!(codec.to_string(), text);
        assert_eq!(codec.slug(), text.replace(':', "-"));
    }
}

#[test]
fn a_default_level_is_not_spelt_out() {
    assert_eq!("gzip:6".parse::<Codec>().unwrap(), "gzip".parse().unwrap());
    assert_eq!("gzip:6".parse::<Codec>().unwrap().to_string(), "gzip");
}

#[test]
fn what_is_not_a_codec_is_refused_with_what_would_be() {
    for (text, hint) in [
        ("zip", "use none, gzip"),
        ("gzip:10", "0 to 9"),
        ("gzip:-1", "below zero"),
        ("gzip:fast", "not a whole number"),
        ("zstd:0", "1 to 22"),
        ("brotli:12", "0 to 11"),
        ("snappy:1", "only gzip, zstd and brotli"),
        ("gzip-4k:1", "only gzip, zstd and brotli"),
    ] {
        let error = text.parse::<Codec>().unwrap_err().to_string();
        assert!(error.contains(hint) && error.contains(text), "{error}");
    }
}
