//! Warnings: an invalid setting is reported once, in a line, and ignored.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::common;
use crate::program::{caller, errors, scratch};

#[test]
fn nothing_is_said_of_settings_that_are_right() {
    let mut command = caller("whole threads");
    command.envs([("PELTON_ZLIB_THREADS", "4"), ("PELTON_ZLIB_REPRODUCIBLE", "1")]);
    command.envs([("PELTON_ZLIB_ACCELERATE", "0"), ("PELTON_ZLIB_STATS", "0"), ("SOURCE_DATE_EPOCH", "1")]);
    command.env("PELTON_ZLIB_INSTRUCTIONS", "avx2");
    assert_eq!(errors(&mut command), "");
    assert_eq!(errors(&mut caller("whole")), "");
}

#[test]
fn a_bad_variable_is_named_once_however_many_threads_ask() {
    let mut command = caller("threads whole level 6 fork whole");
    command.envs([
        ("PELTON_ZLIB_THREADS", "0"),
        ("PELTON_ZLIB_ACCELERATE", "maybe"),
        ("PELTON_ZLIB_STATS", "yes"),
    ]);
    let expected = "\
pelton zlib: PELTON_ZLIB_THREADS=0 is ignored; accepted: a number from 1 to 256
pelton zlib: PELTON_ZLIB_STATS=yes is ignored; accepted: 0, 1 or the path of a file
pelton zlib: PELTON_ZLIB_ACCELERATE=maybe is ignored; accepted: 0 or 1
";
    assert_eq!(errors(&mut command), expected);
}

#[test]
fn a_bad_line_of_the_file_is_named_once_and_the_others_hold() {
    let config = scratch("bad.toml");
    fs::write(&config, "# ours\nthreads = 1000\nstats = true\nspeed = \"high\"\n").expect("a file");
    let text = errors(caller("whole whole").env("PELTON_ZLIB_CONFIG", &config));
    let name = config.display();
    let keys = "the keys threads, reproducible, accelerate, instructions, devices, stats and log";
    let expected = format!(
        "pelton zlib: {name}:2: threads = 1000 is ignored; accepted: a number from 1 to 256\n\
         pelton zlib: {name}:4: speed = \"high\" is ignored; accepted: {keys}\n\
         pelton zlib: process "
    );
    assert!(text.starts_with(&expected), "{text}");
}

#[test]
fn log_records_are_lines_of_warnings() {
    let text = errors(caller("whole").env("PELTON_ZLIB_LOG", "debug"));
    assert!(!text.is_empty(), "a level trial is logged");
    for line in text.lines() {
        let record = line.strip_prefix("pelton zlib: debug: level 6: ");
        assert!(record.is_some_and(|record| record.contains("compress")), "{line}");
    }
    assert_eq!(errors(caller("whole").env("PELTON_ZLIB_LOG", "info")), "");
    let text = errors(caller("whole").env("PELTON_ZLIB_LOG", "trace"));
    assert_eq!(text, "pelton zlib: PELTON_ZLIB_LOG=trace is ignored; accepted: off, info or debug\n");
}

#[test]
fn a_file_that_is_not_there_is_named_once() {
    let text = errors(caller("whole whole").env("PELTON_ZLIB_CONFIG", "/nowhere/zlib.toml"));
    assert_eq!(text, "pelton zlib: /nowhere/zlib.toml is ignored: No such file or directory (os error 2)\n");
}

/// Needs root, to make a program that is set-uid for another user.
#[test]
fn a_set_uid_program_takes_nothing_from_the_environment() {
    let (program, libraries) = (scratch("set-uid"), scratch("libraries"));
    // A set-uid program ignores a preloaded library, but not one that it names itself.
    let _ = fs::remove_dir_all(&libraries);
    fs::create_dir(&libraries).expect("a folder");
    fs::copy(common::ours(), libraries.join("libz.so.1")).expect("a copy of the library");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/settings/caller.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-pthread", "-o"]).arg(&program).args([source, "-lz", "-ldl"]);
    compiler.arg(format!("-Wl,-rpath,{}", libraries.display()));
    assert!(compiler.status().expect("a C compiler").success());
    let stats = scratch("set-uid-stats");
    let run = |stats: &str| {
        let mut command = Command::new(&program);
        command.arg("whole").env_clear().env("PELTON_ZLIB_STATS", stats).env("PELTON_ZLIB_THREADS", "bad");
        errors(&mut command)
    };
    assert!(run("1").contains("PELTON_ZLIB_THREADS=bad"), "as long as it is no set-uid program");

    let given_away = std::os::unix::fs::chown(&program, Some(1), None);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).expect("a mode");
    let secure = Command::new(&program).arg("secure").status().expect("the program runs").success();
    if given_away.is_err() || !secure {
        eprintln!("skipped: only root can make a program set-uid for others, where the file system lets it");
        return;
    }
    assert_eq!(run("1"), "");
    assert_eq!(run(stats.to_str().expect("a path in UTF-8")), "");
    assert!(!stats.exists());
    fs::remove_file(&program).expect("the program is removed, as other users could run it");
}
