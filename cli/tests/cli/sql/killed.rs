//! `kill -9` while files are written, disks that are full, and folders that take no files.
#![cfg(target_os = "linux")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;

use crate::support::{EndsWithTest, Place, Run, read_parquet};

/// Kills of each command, half of them with a file of the name there before.
const KILLS: u32 = 200;

const ROWS: usize = 20_000;

/// Arguments by which `--output` and `repack` write into a folder of their own.
const COMMANDS: [&[&str]; 2] = [
    &["sql", "SELECT * FROM 't.parquet' ORDER BY id", "--format", "parquet", "-o", "out/x.parquet"],
    &["repack", "t.parquet", "out/x.parquet", "--codec", "zstd", "--force"],
];

/// The same by COPY.
const COPY: &[&str] = &["sql", "COPY (SELECT * FROM 't.parquet' ORDER BY id) TO 'out/x.parquet'"];

fn place() -> Place {
    let place = Place::new();
    place.parquet("t.parquet", ROWS);
    place.parquet("old.parquet", 10);
    fs::create_dir(place.path("out")).expect("a folder");
    place
}

/// Numbers from 0 to 1 in no order, the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Returns the names in a folder; those of hidden files first.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Returns whether a file is the new one, which has to be whole; else it is the old one, to the
/// byte.
fn is_new(path: &Path, old: &[u8], rows: &RecordBatch) -> bool {
    if fs::read(path).expect("read") == old {
        return false;
    }
    assert!(read_parquet(path) == *rows, "{} is neither the old file nor the new one", path.display());
    true
}

#[test]
fn a_killed_process_leaves_the_old_file_or_the_new_one() {
    for arguments in [COMMANDS[0], COMMANDS[1], COPY] {
        let place = place();
        let (folder, file) = (place.path("out"), place.path("out/x.parquet"));
        let old = fs::read(place.path("old.parquet")).expect("read");
        let whole = || {
            let started = Instant::now();
            let run = place.run(arguments);
            assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
            assert_eq!(names(&folder), ["x.parquet"]);
            started.elapsed()
        };
        let longest = (0..3).map(|_| whole()).max().expect("some");
        let rows = read_parquet(&file);
        let (mut random, mut new, mut hidden) = (Random(1), 0, 0);
        for kill in 0..KILLS {
            let is_there = kill % 2 == 0;
            fs::remove_file(&file).expect("removed");
            if is_there {
                fs::write(&file, &old).expect("written");
            }
            // half of them when the file is about to get its name
            let share = if kill % 4 < 2 { random.next() } else { 0.6 + 0.5 * random.next() };
            let child = place.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
            let child = child.map(EndsWithTest).expect("it starts");
            thread::sleep(longest.mul_f64(share));
            drop(child);

            let names = names(&folder);
            let visible = usize::from(names.last().is_some_and(|name| name == "x.parquet"));
            assert!(visible == 1 || !is_there, "{names:?}");
            for name in &names[..names.len() - visible] {
                assert!(is_there && names.len() == 2 && name.starts_with(".pelton-"), "{names:?}");
                assert!(is_new(&folder.join(name), &old, &rows), "a hidden file is whole");
                hidden += 1;
            }
            if visible == 1 {
                new += u32::from(is_new(&file, &old, &rows));
            } else {
                fs::copy(place.path("old.parquet"), &file).expect("copied");
            }
            if names.len() > 1 {
                whole();
            }
        }
        println!("{arguments:?}: {KILLS} kills left {new} new files and {hidden} hidden ones");
        assert!(new < KILLS, "all of them came too late");
        whole();
    }
}

/// A kill between the two steps of a replacement leaves such a file.
#[test]
fn a_hidden_file_is_swept_by_the_next_write() {
    for arguments in COMMANDS {
        let place = place();
        fs::copy(place.path("t.parquet"), place.path("out/.pelton-0123456789abcdef.partial"))
            .expect("copied");
        fs::copy(place.path("t.parquet"), place.path("out/.pelton-0123.partial")).expect("copied");
        let run = place.run(arguments);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
        assert_eq!(names(&place.path("out")), [".pelton-0123.partial", "x.parquet"]);
    }
}

/// The limit is that of a file, which a process can set for itself; the error is another than a
/// full disk's.
#[test]
fn a_file_that_finds_no_room_is_an_error_and_nothing_stays() {
    for arguments in COMMANDS {
        for is_there in [true, false] {
            let place = place();
            if is_there {
                fs::copy(place.path("old.parquet"), place.path("out/x.parquet")).expect("copied");
            }
            let pelton = place.command(arguments);
            let mut command = Command::new("sh");
            command.args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\""]);
            command.arg(pelton.get_program()).args(pelton.get_args());
            command.current_dir(place.path("")).env("HOME", place.path("home"));
            let run: Run = command.output().expect("it starts").into();
            let error = run.error(1);
            assert!(error.contains("cannot write out/x.parquet: File too large"), "{error}");
            assert_eq!(names(&place.path("out")), if is_there { vec!["x.parquet"] } else { vec![] });
        }
    }
}

#[test]
fn a_full_disk_is_an_error_and_nothing_stays() {
    if !may_mount() {
        return;
    }
    let script = "cp old.parquet out/x.parquet && { \"$0\" \"$@\"; code=$?; ls -A out >&2; \
                  cmp old.parquet out/x.parquet || exit 9; exit $code; }";
    for arguments in COMMANDS {
        let output = mounted(&place(), "size=64k", arguments, script);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        let (error, rest) = errors.split_once('\n').expect("a line");
        assert!(error.starts_with("error: cannot write out/x.parquet: No space left on device"), "{error}");
        assert_eq!(rest, "x.parquet\n");
    }
}

/// Runs without root's right to write to folders that are read-only.
#[test]
fn a_folder_that_takes_no_files_is_an_error() {
    for arguments in COMMANDS {
        let place = place();
        let pelton = place.command(arguments);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.arg("--bounding-set=-dac_override,-dac_read_search").arg(pelton.get_program());
            command
        } else {
            Command::new(pelton.get_program())
        };
        command.args(pelton.get_args()).current_dir(place.path("")).env("HOME", place.path("home"));
        fs::set_permissions(place.path("out"), Permissions::from_mode(0o555)).expect("set");
        let run: Run = command.output().expect("it starts").into();
        let expected = "error: cannot write out/x.parquet: no permission to create files in folder out; \
                        name another folder";
        assert_eq!(run.error(1), expected);
        assert_eq!(names(&place.path("out")), [""; 0]);
    }
}

#[test]
fn a_file_system_that_takes_no_files_is_an_error() {
    if !may_mount() {
        return;
    }
    for arguments in COMMANDS {
        let place = place();
        let run: Run = mounted(&place, "ro", arguments, "exec \"$0\" \"$@\"").into();
        let expected = "error: cannot write out/x.parquet: folder out is on a read-only file system; \
                        name another folder";
        assert_eq!(run.error(1), expected);
    }
}

/// Returns whether this process may mount file systems; says so if not.
fn may_mount() -> bool {
    let tried = Command::new("unshare").args(["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).output();
    let may = tried.as_ref().is_ok_and(|done| done.status.success());
    if !may {
        println!("skipped: no right to mount a file system: {tried:?}");
    }
    may
}

/// Runs `script` with the command as its arguments, where `out` is a file system of its own.
fn mounted(place: &Place, options: &str, arguments: &[&str], script: &str) -> Output {
    let pelton = place.command(arguments);
    let script = format!("mount -t tmpfs -o {options} tmpfs out && {script}");
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &script]).arg(pelton.get_program()).args(pelton.get_args());
    command.current_dir(place.path("")).env("HOME", place.path("home"));
    command.output().expect("it starts")
}

fn is_root() -> bool {
    fs::metadata("/proc/self").expect("Linux has it").uid() == 0
}

/// Pipes are written in place by all formats, however slow the reader is, while signals interrupt
/// the writer's calls.
#[test]
fn signals_do_not_cut_a_pipe_short() {
    let place = place();
    for format in ["csv", "json", "parquet"] {
        let arguments =
            ["sql", "SELECT id, name, price FROM 't.parquet' ORDER BY id", "--format", format, "-o"];
        let to = |name: &str| place.command(&[&arguments[..], &[name]].concat());
        assert!(to("plain").status().expect("it starts").success());
        let made = Command::new("mkfifo").arg(place.path("pipe")).status();
        assert!(made.expect("mkfifo is there").success());
        let child = to("pipe").spawn().map(EndsWithTest).expect("it starts");
        let id = child.0.id().to_string();
        let interrupts = thread::spawn(move || {
            // It stops and goes on, and its window changes.
            for signal in ["STOP", "CONT", "WINCH", "URG"].iter().cycle().take(60) {
                let _ = Command::new("kill").args(["-s", signal, &id]).status();
                thread::sleep(Duration::from_millis(1));
            }
        });
        let piped = fs::read(place.path("pipe")).expect("read");
        interrupts.join().expect("a thread");
        assert!(piped == fs::read(place.path("plain")).expect("read"), "{format}");
        fs::remove_file(place.path("pipe")).expect("removed");
    }
}
