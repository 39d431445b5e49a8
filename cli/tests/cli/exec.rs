//! `pelton exec`: the command runs in its place, with a library preloaded, or it says why not.

use std::process::Output;

use crate::support::Place;

/// Returns a library that every process has; the command accepts any.
fn library() -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("this process's files");
    let libc =
        maps.lines().find_map(|line| line.split_whitespace().last().filter(|name| name.contains("/libc.")));
    libc.expect("libc.so.6").to_owned()
}

/// Runs `pelton exec` with these arguments.
fn exec(arguments: &[&str]) -> Output {
    let place = Place::new();
    let mut command = place.command(&[&["exec"], arguments].concat());
    command.env("PELTON_ZLIB_LIBRARY", library()).env_remove("LD_PRELOAD");
    for variable in ["PELTON_ZLIB_STATS", "PELTON_ZLIB_THREADS", "PELTON_ZLIB_DEVICES"] {
        command.env_remove(variable);
    }
    command.output().expect("pelton runs")
}

/// Returns the exit code, and the one line on standard error.
fn refusal(arguments: &[&str]) -> (Option<i32>, String) {
    let output = exec(arguments);
    let text = String::from_utf8(output.stderr).expect("text");
    assert!(text.starts_with("error: ") && text.lines().count() == 1, "{text}");
    (output.status.code(), text)
}

#[test]
fn the_command_sees_the_library_and_the_settings() {
    const SHOW: &str =
        "echo \"$LD_PRELOAD $PELTON_ZLIB_STATS $PELTON_ZLIB_THREADS $PELTON_ZLIB_DEVICES $0 $1\"; exit 7";
    for (options, stats, threads, devices) in [
        (&[][..], "", "", ""),
        (&["--stats", "--threads", "4"], "1", "4", ""),
        (&["--stats=/tmp/zlib.txt"], "/tmp/zlib.txt", "", ""),
        (&["--device", "iaa:windows=try,cpu"], "", "", "iaa:windows=try,cpu"),
    ] {
        let output = exec(&[options, &["--", "sh", "-c", SHOW, "zero", "--one"]].concat());
        let expected = format!("{} {stats} {threads} {devices} zero --one\n", library());
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        assert_eq!(output.status.code(), Some(7));
    }
}

#[test]
fn devices_that_the_zlib_does_not_know_are_told() {
    for (list, expected) in [
        ("gpu", "there is no device \"gpu\""),
        (
            "cuda,cpu",
            "the zlib has no cuda; name some of cpu, iaa, nx, dfltcc, iaa-model, nx-model and dfltcc-model",
        ),
    ] {
        let output = exec(&["--device", list, "--", "true"]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && text.contains(expected), "{:?} {text}", output.status);
    }
}

#[test]
fn what_cant_be_run_has_a_shells_exit_code() {
    let (code, text) = refusal(&["no-such-command"]);
    assert!(code == Some(127) && text.contains("no-such-command"), "{code:?} {text}");
    let (code, text) = refusal(&["/"]);
    assert!(code == Some(126) && text.contains("can't be run: is a directory"), "{code:?} {text}");
}

#[test]
fn what_cant_be_preloaded_is_told() {
    let place = Place::new();
    let (source, program) = (place.path("static.c"), place.path("static"));
    std::fs::write(&source, "int main(void) { return 0; }\n").expect("a source");
    let mut compiler = std::process::Command::new("cc");
    assert!(compiler.arg("-static").arg("-o").arg(&program).arg(&source).status().expect("cc").success());
    let (code, text) = refusal(&[program.to_str().expect("a path in UTF-8")]);
    assert!(code == Some(2) && text.contains("is statically linked"), "{code:?} {text}");
}
