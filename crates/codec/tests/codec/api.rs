//! The public interface: names, levels, and traits of types that other crates use.

use pelton_codec::{Checksum, Decoder, Encoder, Error, Format, Level};

#[test]
fn states_can_move_to_another_thread() {
    fn is_send<T: Send + 'static>() {}
    is_send::<Decoder>();
    is_send::<Encoder>();
    is_send::<Error>();
}

#[test]
fn names_are_read_back() {
    for format in Format::ALL {
        assert_eq!(format.name().parse::<Format>().unwrap(), format);
        assert_eq!(format.to_string(), format.name());
    }
    for kind in Checksum::ALL {
        assert_eq!(kind.name().parse::<Checksum>().unwrap(), kind);
        assert_eq!(kind.to_string(), kind.name());
    }
    let names = Format::ALL.map(Format::name);
    assert_eq!(names, ["deflate", "zlib", "gzip", "lz4", "lz4-hadoop", "snappy", "zstd", "brotli"]);
}

#[test]
fn unknown_names_list_the_known_ones() {
    let error = "lzma".parse::<Format>().unwrap_err().to_string();
    assert!(error.contains("'lzma'") && error.contains("zstd"), "{error}");
    let error = "md5".parse::<Checksum>().unwrap_err().to_string();
    assert!(error.contains("'md5'") && error.contains("crc32c"), "{error}");
}

#[test]
fn levels_are_checked() {
    for format in Format::ALL {
        let default = format.default_level();
        assert_eq!(default.format(), format);
        match format.levels() {
            None => {
                assert_eq!(default.value(), 0);
                let error = Level::new(format, 0).unwrap_err();
                assert_eq!(error, Error::BadLevel { format, level: 0 });
                assert!(error.to_string().contains("leave the level out"), "{error}");
            }
            Some(levels) => {
                assert_eq!(Level::new(format, default.value()), Ok(default));
                assert_eq!(Level::new(format, *levels.end()).map(Level::value), Ok(*levels.end()));
                for bad in [levels.start() - 1, levels.end() + 1, i32::MIN, i32::MAX] {
                    assert_eq!(Level::new(format, bad), Err(Error::BadLevel { format, level: bad }));
                }
            }
        }
    }
}

#[test]
fn a_level_of_another_format_is_refused() {
    let level = Level::new(Format::Zstd, 22).unwrap();
    let result = Encoder::new().compress(Format::Gzip, level, b"x", &mut [0; 100]);
    assert_eq!(result, Err(Error::BadLevel { format: Format::Gzip, level: 22 }));
}

#[test]
fn messages_are_one_line() {
    let format = Format::Gzip;
    for error in [
        Error::OutputTooSmall { format, room: 3 },
        Error::Truncated { format },
        Error::Corrupt { format, what: "x" },
        Error::InputTooLarge { format, len: 2, limit: 1 },
        Error::BadLevel { format, level: 99 },
        Error::OutOfMemory { format },
    ] {
        let message = error.to_string();
        assert!(message.starts_with("gzip") && !message.contains('\n'), "{message}");
    }
}
