//! COPY to folders: `kill -9` leaves the old contents or the new ones.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Instant;

use crate::support::{EndsWithTest, Place, read_parquet};

/// Kills of each statement.
const KILLS: u32 = 80;

const ROWS: usize = 20_000;

/// Rows of the folder that is there before.
const OLD_ROWS: usize = 500;

/// Returns the arguments of a COPY into `out/parts`, a folder for each of 13 parts.
fn copy(file: &str, existing: &str) -> Vec<String> {
    let query = format!("SELECT *, id % 13 AS part FROM '{file}'");
    let copy = format!("COPY ({query}) TO 'out/parts' (FORMAT parquet, PARTITION_BY part{existing})");
    vec!["sql".to_owned(), copy]
}

fn run(place: &Place, arguments: &[String]) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let run = place.run(&arguments);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
}

/// Returns the files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => all.push(path),
        }
    }
    all
}

/// Returns the rows of all files below a folder. A file that is not whole is a failure.
fn rows(folder: &Path) -> usize {
    files(folder).iter().map(|file| read_parquet(file).num_rows()).sum()
}

/// Numbers from 0 to 1 in no order, the same in each run.
fn share(kill: u32) -> f64 {
    f64::from(kill.wrapping_mul(2_654_435_761) >> 8) / f64::from(1u32 << 24)
}

/// Kills a statement at different times. `old` and `new` are the rows of the folder before it and
/// after it; without rows there is no folder.
fn killed(existing: &str, old: usize, new: usize) {
    let place = Place::new();
    place.parquet("t.parquet", ROWS);
    place.parquet("old.parquet", OLD_ROWS);
    fs::create_dir(place.path("out")).expect("a folder");
    let (out, parts) = (place.path("out"), place.path("out/parts"));
    let prepare = || {
        _ = fs::remove_dir_all(&out);
        fs::create_dir(&out).expect("a folder");
        if old > 0 {
            run(&place, &copy("old.parquet", ""));
        }
    };
    let statement = copy("t.parquet", existing);
    prepare();
    let started = Instant::now();
    run(&place, &statement);
    let longest = started.elapsed();
    assert_eq!(rows(&parts), new);
    let (mut replaced, mut hidden) = (0, 0);
    for kill in 0..KILLS {
        prepare();
        let mut command = place.command(&statement.iter().map(String::as_str).collect::<Vec<_>>());
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let child = child.map(EndsWithTest).expect("it starts");
        // half of them when the folder is about to get its name
        let share = if kill % 2 == 0 { share(kill) } else { 0.6 + 0.5 * share(kill) };
        thread::sleep(longest.mul_f64(share));
        drop(child);
        let found = if parts.exists() { rows(&parts) } else { 0 };
        assert!(found == old || found == new, "kill {kill} left {found} rows of {old} or {new}");
        replaced += u32::from(found == new);
        hidden += fs::read_dir(&out).expect("a folder").count() - usize::from(parts.exists());
        if kill % 8 == 0 {
            // the next write removes what the killed one left
            run(&place, &copy("t.parquet", ", OVERWRITE"));
            assert_eq!(fs::read_dir(&out).expect("a folder").count(), 1);
            assert_eq!(rows(&parts), ROWS);
        }
    }
    println!("{existing}: {KILLS} kills left {replaced} new folders and {hidden} hidden ones");
    assert!(replaced < KILLS, "all of them came too late");
}

#[test]
fn a_killed_copy_leaves_no_folder_or_a_whole_one() {
    killed("", 0, ROWS);
}

#[test]
fn a_killed_overwrite_leaves_the_old_folder_or_the_new_one() {
    killed(", OVERWRITE", OLD_ROWS, ROWS);
}

#[test]
fn a_killed_append_leaves_the_old_files_or_all() {
    killed(", APPEND", OLD_ROWS, OLD_ROWS + ROWS);
}

/// The last write is the one that fails, behind files that are whole.
#[test]
fn a_copy_that_finds_no_room_leaves_the_old_folder() {
    let place = Place::new();
    place.parquet("t.parquet", ROWS);
    place.parquet("old.parquet", OLD_ROWS);
    fs::create_dir(place.path("out")).expect("a folder");
    run(&place, &copy("old.parquet", ""));
    for existing in [", OVERWRITE", ", APPEND"] {
        let statement = copy("t.parquet", existing);
        let pelton = place.command(&statement.iter().map(String::as_str).collect::<Vec<_>>());
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\""]);
        command.arg(pelton.get_program()).args(pelton.get_args());
        command.current_dir(place.path("")).env("HOME", place.path("home"));
        let run: crate::support::Run = command.output().expect("it starts").into();
        let error = run.error(1);
        assert!(error.contains("cannot write: File too large"), "{error}");
        assert_eq!(fs::read_dir(place.path("out")).expect("a folder").count(), 1);
        assert_eq!(rows(&place.path("out/parts")), OLD_ROWS);
    }
}
