use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

use log::LevelFilter;
use pelton_codec::IsaLevel;
use pelton_device_iaa::Windows;
use pelton_device_model::{iaa, nx};

use super::read::read_with;
use super::toml::{Entry, entry};
use super::{Devices, Settings, Stats};

/// Returns the settings and warnings with these variables.
fn read(variables: &[(&str, &str)]) -> (Settings, Vec<String>) {
    let value =
        |name: &str| variables.iter().find(|(of, _)| *of == name).map(|(_, value)| OsString::from(value));
    read_with(value)
}

/// A file that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pelton-zlib-{}-{name}.toml", std::process::id()));
        std::fs::write(&path, text).expect("a temporary file");
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("a path in UTF-8")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn lines_are_entries_comments_or_wrong() {
    for (line, key, value) in [
        ("threads = 4", "threads", "4"),
        ("  threads=4# four", "threads", "4"),
        ("accelerate = false", "accelerate", "0"),
        ("accelerate =true # yes", "accelerate", "1"),
        (r#"stats = "/tmp/a b#c""#, "stats", "/tmp/a b#c"),
        (r"stats = '/tmp/a\b' # c", "stats", r"/tmp/a\b"),
    ] {
        assert_eq!(entry(line), Ok(Some(Entry { key, value })), "{line}");
    }
    for line in ["", "   ", "# threads = 4", "\t#"] {
        assert_eq!(entry(line), Ok(None), "{line}");
    }
    for line in [
        "[zlib]",
        "threads",
        "= 4",
        "threads =",
        "threads = four",
        "stats = \"a",
        "stats = \"a\\n\"",
        "a b = 1",
        "threads = 4 5",
        "threads = [4]",
    ] {
        assert!(entry(line).is_err(), "{line}");
    }
}

#[test]
fn the_environment_wins_over_the_file() {
    let file = Scratch::new(
        "wins",
        "threads = 4\nreproducible = true\naccelerate = false\ninstructions = 'avx2'\ndevices = 'iaa'\nstats = '/tmp/s'\nlog = 'info'\n",
    );
    let stats = Stats::File("/tmp/s".into());
    let devices = Devices { iaa: Some(Windows::Known), ..Devices::default() };
    let instructions = IsaLevel::Avx2;
    let expected = Settings {
        threads: 4,
        reproducible: true,
        accelerate: false,
        instructions,
        devices,
        stats,
        log: LevelFilter::Info,
    };
    assert_eq!(read(&[("PELTON_ZLIB_CONFIG", file.path())]), (expected.clone(), vec![]));
    let over = [
        ("PELTON_ZLIB_CONFIG", file.path()),
        ("PELTON_ZLIB_THREADS", "256"),
        ("PELTON_ZLIB_REPRODUCIBLE", "0"),
        ("PELTON_ZLIB_STATS", "1"),
        ("PELTON_ZLIB_ACCELERATE", "1"),
        ("PELTON_ZLIB_INSTRUCTIONS", "portable"),
        ("PELTON_ZLIB_DEVICES", "cpu"),
        ("PELTON_ZLIB_LOG", "debug"),
    ];
    let (instructions, stats) = (IsaLevel::Portable, Stats::Stderr);
    let devices = Devices { has_cpu: true, ..Devices::default() };
    let expected = Settings {
        threads: 256,
        reproducible: false,
        accelerate: true,
        instructions,
        devices,
        stats,
        log: LevelFilter::Debug,
    };
    assert!(expected.devices.is_none());
    assert_eq!(read(&over), (expected, vec![]));
}

#[test]
fn devices_are_named_with_their_settings() {
    let read = |list| Devices::parse(list).unwrap_or_else(|| panic!("{list}"));
    let setup = iaa::Setup {
        windows: Windows::Try,
        devices: NonZero::new(4).unwrap_or(NonZero::<usize>::MIN),
        ..iaa::Setup::default()
    };
    let dfltcc = pelton_device_model::dfltcc::Setup { seed: 4, ..Default::default() };
    let nx_setup = nx::Setup { fault_every: NonZero::new(7), ..nx::Setup::default() };
    for (list, expected) in [
        ("iaa", Devices { iaa: Some(Windows::Known), ..Devices::default() }),
        ("iaa:windows=try , cpu", Devices { iaa: Some(Windows::Try), has_cpu: true, ..Devices::default() }),
        ("dfltcc,cpu", Devices { dfltcc: true, has_cpu: true, ..Devices::default() }),
        ("dfltcc-model:seed=4", Devices { dfltcc_model: Some(dfltcc), ..Devices::default() }),
        ("nx", Devices { has_nx: true, ..Devices::default() }),
        ("nx-model:fault-every=7", Devices { nx_model: Some(nx_setup), ..Devices::default() }),
        ("iaa-model : devices = 4:windows=try ", Devices { iaa_model: Some(setup), ..Devices::default() }),
    ] {
        assert_eq!(read(list), expected, "{list}");
    }
    for list in [
        "",
        "gpu",
        "cpu,",
        "cpu,cpu",
        "iaa,iaa",
        "cpu:windows=try",
        "iaa:devices=2",
        "iaa:",
        "iaa:windows",
        "iaa-model:devices=0",
        "iaa-model:fault-every",
        "dfltcc:seed=4",
        "dfltcc,dfltcc",
        "dfltcc-model:cc3-every=0",
        "nx,nx",
        "nx:engines=2",
        "nx-model:engines=0",
    ] {
        assert_eq!(Devices::parse(list), None, "{list}");
    }
}

#[test]
fn a_build_with_a_date_is_reproducible() {
    let none = ("PELTON_ZLIB_CONFIG", "/dev/null/none");
    assert!(read(&[none, ("SOURCE_DATE_EPOCH", "1700000000")]).0.reproducible);
    assert!(!read(&[none, ("SOURCE_DATE_EPOCH", "1"), ("PELTON_ZLIB_REPRODUCIBLE", "0")]).0.reproducible);
    assert!(!read(&[none]).0.reproducible);
}

#[test]
fn mistakes_are_named_and_ignored() {
    let text =
        "threads = 0\nthread = 4\n[zlib]\nthreads = 8\nstats = ''\naccelerate = 2\ninstructions = \"sse\"\n";
    let file = Scratch::new("wrong", text);
    let (settings, warnings) =
        read(&[("PELTON_ZLIB_CONFIG", file.path()), ("PELTON_ZLIB_THREADS", "\u{1b}[2J")]);
    assert_eq!(settings, Settings::default());
    let begins = [
        ":1: threads = 0 is",
        ":2: thread = 4 is",
        ":3: [zlib] is",
        ":4: threads = 8 is",
        ":5: stats = ",
        ":6: accelerate",
        ":7: instructions",
    ];
    for (line, begin) in warnings.iter().zip(begins) {
        assert!(
            line.starts_with(&format!("{}{begin}", file.path())) && line.contains("accepted: "),
            "{line}"
        );
    }
    let last = "PELTON_ZLIB_THREADS=\\u{1b}[2J is ignored; accepted: a number from 1 to 256";
    assert_eq!((warnings.len(), warnings[7].as_str()), (8, last));
}

#[test]
fn a_file_that_cant_be_read_is_named() {
    let long = Scratch::new("long", &"#".repeat(70_000));
    for (path, reason) in [
        ("/nowhere/zlib.toml", "No such file"),
        ("/dev/null", "not a file"),
        ("/", "not a file"),
        (long.path(), "longer than"),
    ] {
        let (settings, warnings) = read(&[("PELTON_ZLIB_CONFIG", path)]);
        assert_eq!((settings, warnings.len()), (Settings::default(), 1), "{path}");
        assert!(warnings[0].starts_with(path) && warnings[0].contains(reason), "{warnings:?}");
    }
}
