//! Statistics: each process counts its own calls.

use std::collections::BTreeMap;
use std::fs;

use crate::common;
use crate::program::{caller, errors, scratch, uncompressed};

/// Bytes of the program's data.
const SIZE: u64 = 100_000;

/// The numbers in a process's tables by the words before them, without the first line.
struct Tables {
    process: String,
    rows: BTreeMap<String, Vec<f64>>,
}

impl Tables {
    /// Returns the tables of every process, in the order in which they ended.
    fn read(text: &str) -> Vec<Self> {
        let parts = text.split("pelton zlib: process ").skip(1);
        parts.map(Self::of).collect()
    }

    fn of(part: &str) -> Self {
        let (process, lines) = part.split_once('\n').expect("a line that names the process");
        let rows =
            lines.lines().filter(|line| !line.ends_with("MB/s") && !line.ends_with("times")).map(|line| {
                // Columns are at least two spaces apart, words one.
                let cells: Vec<_> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
                let words = cells.iter().take_while(|cell| cell.parse::<f64>().is_err()).count();
                let numbers = cells[words..].iter().map(|cell| cell.parse().expect("a number")).collect();
                (cells[..words].join("/"), numbers)
            });
        Self { process: process.to_owned(), rows: rows.collect() }
    }

    /// Returns calls, bytes in and bytes out of an operation, over all paths.
    fn calls(&self, operation: &str) -> [u64; 3] {
        let begin = format!("{operation}/");
        let rows = self.rows.iter().filter(|(name, _)| name.starts_with(&begin));
        rows.fold([0; 3], |sum, (_, row)| std::array::from_fn(|column| sum[column] + row[column] as u64))
    }

    /// Returns the count of a reason.
    fn reason(&self, name: &str) -> u64 {
        self.rows.get(name).map_or(0, |row| row[0] as u64)
    }
}

/// Returns the tables of a run's processes.
fn tables(calls: &str) -> Vec<Tables> {
    Tables::read(&errors(caller(calls).env("PELTON_ZLIB_STATS", "1")))
}

#[test]
fn nothing_is_printed_unless_asked() {
    assert_eq!(errors(&mut caller("whole")), "");
    assert_eq!(errors(uncompressed("whole").env("PELTON_ZLIB_STATS", "1")), "", "not our library");
    assert_eq!(errors(caller("").env("PELTON_ZLIB_STATS", "1")), "", "nothing was done");
}

#[test]
fn one_shot_calls_and_streams_are_counted_apart() {
    let tables = tables("whole whole level 1 stream");
    let [table] = &tables[..] else { panic!("one process, not {}", tables.len()) };
    assert!(table.process.contains("(settings-") && table.process.contains("threads 1"), "{}", table.process);
    let [calls, read, compressed] = table.calls("deflate one-shot");
    assert_eq!((calls, read), (3, 3 * SIZE));
    let [calls, read, streamed] = table.calls("deflate stream");
    assert_eq!((calls, read), (10, SIZE));
    let [calls, read, written] = table.calls("inflate one-shot");
    assert_eq!((calls, read, written), (4, compressed + streamed, 4 * SIZE));
    assert_eq!(table.calls("inflate stream"), [0; 3]);
}

/// Only the statistics show whether our decoder or zlib-rs did it.
#[test]
fn pieces_are_our_codecs() {
    let tables = tables("pieces");
    let row = |path: &str| tables[0].rows.get(&format!("inflate stream/{path}")).map(|row| row[2] as u64);
    assert_eq!(row("cpu pieces"), Some(SIZE));
    // The first byte of the header alone.
    assert_eq!(row("plain zlib-rs"), Some(0));
    assert!(tables[0].rows.keys().all(|name| name.contains('/') || name == "streams given to plain zlib-rs"));
}

#[test]
fn threads_lose_no_count() {
    let tables = tables("threads threads threads threads");
    assert_eq!(tables[0].calls("deflate one-shot")[..2], [16, 16 * SIZE]);
    assert_eq!(tables[0].calls("inflate one-shot")[2], 16 * SIZE);
}

#[test]
fn reasons_are_given_once_a_stream() {
    let tables = tables("level 0 strategy strategy memory window dictionary prime tune copy sync");
    let expected = [
        ("level 0", 1),
        ("strategy", 2),
        ("memLevel", 1),
        ("window", 1),
        // This is for compression; our decoder knows dictionaries.
        ("dictionary", 1),
        ("primed or tuned", 2),
        ("stream copied midway", 1),
        // After damage, too.
        ("other", 0),
        ("acceleration turned off", 0),
    ];
    for (name, times) in expected {
        assert_eq!(tables[0].reason(name), times, "{name}");
    }
}

#[test]
fn acceleration_that_is_turned_off_is_the_only_reason() {
    let mut command = caller("level 6 strategy");
    command.envs([("PELTON_ZLIB_STATS", "1"), ("PELTON_ZLIB_ACCELERATE", "0")]);
    let tables = Tables::read(&errors(&mut command));
    assert_eq!(tables[0].reason("acceleration turned off"), 4);
    assert!(tables[0].process.ends_with("accelerate 0"), "{}", tables[0].process);
    assert!(tables[0].rows.keys().all(|name| !name.contains('/') || name.ends_with("/plain zlib-rs")));
}

#[test]
fn instructions_that_are_lacking_are_a_reason() {
    let lacking = |instructions: &str| {
        let mut command = caller("stream");
        command.envs([("PELTON_ZLIB_STATS", "1"), ("PELTON_ZLIB_INSTRUCTIONS", instructions)]);
        let tables = Tables::read(&errors(&mut command));
        let uncompressed = tables[0].rows.contains_key("deflate stream/plain zlib-rs");
        (tables[0].reason("instructions that are lacking"), uncompressed)
    };
    assert_eq!(lacking("portable"), (1, true));
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("lzcnt") {
        // AVX2 is enough for it.
        assert_eq!(lacking("avx2"), (0, false));
    }
}

#[test]
fn a_child_counts_from_its_fork_on() {
    let tables = tables("whole whole whole fork level 6");
    let [child, parent] = &tables[..] else { panic!("two processes, not {}", tables.len()) };
    assert_eq!(child.calls("deflate one-shot")[..2], [1, SIZE]);
    assert_eq!(parent.calls("deflate one-shot")[..2], [3, 3 * SIZE]);
    assert_ne!(child.process, parent.process);
    // A child without calls prints nothing.
    assert_eq!(self::tables("whole fork").len(), 1);
}

#[test]
fn calls_before_main_count_and_calls_after_the_end_do_no_harm() {
    let mut command = caller("whole");
    let text = errors(command.env("PELTON_ZLIB_STATS", "1").env("EARLY_AND_LATE", "1"));
    let tables = Tables::read(&text);
    assert_eq!(tables.len(), 1);
    // The loader decides whether calls this late are counted.
    let [calls, _, _] = tables[0].calls("deflate one-shot");
    assert!((2..=3).contains(&calls), "{text}");
}

#[test]
fn a_file_gets_every_process_one_after_the_other() {
    let file = scratch("stats");
    for _ in 0..2 {
        let mut command = caller("level 6 fork level 6");
        assert_eq!(errors(command.env("PELTON_ZLIB_STATS", &file)), "");
    }
    let tables = Tables::read(&fs::read_to_string(&file).expect("statistics"));
    assert_eq!(tables.len(), 4);
    assert!(tables.iter().all(|table| table.calls("deflate one-shot")[..2] == [1, SIZE]));
}

#[test]
fn a_file_that_cant_be_written_is_named() {
    let text = errors(caller("whole").env("PELTON_ZLIB_STATS", "/nowhere/stats"));
    assert_eq!(
        text,
        "pelton zlib: statistics can't go to /nowhere/stats: No such file or directory (os error 2)\n"
    );
}

#[test]
fn unloading_the_library_prints_and_leaves_nothing_behind() {
    let mut command = uncompressed("unload fork");
    command.env("PELTON_ZLIB_STATS", "1").env("LIBZ", common::ours());
    let text = errors(&mut command);
    assert!(text.ends_with("unloaded\n"), "{text}");
    assert_eq!(Tables::read(&text).len(), 1);
}
