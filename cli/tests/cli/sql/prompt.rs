//! The prompt, on a terminal that `script` of util-linux provides.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::support::{EndsWithTest, Place};

/// Time after which output counts as missing; nothing is measured by this.
const NEVER: Duration = Duration::from_secs(60);

/// Runs a session at the prompt: for each pair, waits until a text is on the screen, then types.
fn session(place: &Place, exchange: &[(&str, &str)]) -> Option<String> {
    if Command::new("script").arg("--version").output().is_err() {
        eprintln!("skipped: there is no `script` (Debian: bsdutils) to provide a terminal");
        return None;
    }
    // A shell that stays between would be ended by the Ctrl-C that the query survives, and report
    // that.
    let command = format!("exec {} sql --table t=t.parquet", env!("CARGO_BIN_EXE_pelton"));
    let child = Command::new("script")
        .args(["--quiet", "--flush", "--return", "--command", &command, "/dev/null"])
        .current_dir(place.path("."))
        .env("HOME", place.path("home"))
        .env("TERM", "xterm")
        .env_remove("XDG_STATE_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut child = EndsWithTest(child);
    let mut screen = child.0.stdout.take().expect("a pipe");
    let (send, receive) = channel();
    let reader = thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(read @ 1..) = screen.read(&mut bytes) {
            if send.send(bytes[..read].to_vec()).is_err() {
                break;
            }
        }
    });
    let mut keyboard = child.0.stdin.take().expect("a pipe");
    let (mut seen, mut all) = (String::new(), String::new());
    for (awaited, typed) in exchange {
        // The screen behind it is for the next pair.
        let end = loop {
            if let Some(start) = seen.find(awaited) {
                break start + awaited.len();
            }
            let bytes = receive.recv_timeout(NEVER).unwrap_or_else(|_| panic!("no {awaited:?} in {all}"));
            seen.push_str(&String::from_utf8_lossy(&bytes));
            all.push_str(&String::from_utf8_lossy(&bytes));
        };
        seen.drain(..end);
        keyboard.write_all(typed.as_bytes()).expect("typed");
        keyboard.flush().expect("typed");
    }
    let status = child.0.wait().expect("it ends");
    assert_eq!(status.code(), Some(0), "{all}");
    drop(keyboard);
    reader.join().expect("a thread");
    Some(all)
}

#[test]
fn statements_span_lines_errors_are_told_and_a_query_can_be_stopped() {
    let place = Place::new();
    place.parquet("t.parquet", 20_000);
    let screen = session(
        &place,
        &[
            ("pelton> ", "SELECT count(*) AS n,\r"),
            ("AS n,", "sum(id) AS s FROM t;\r"),
            ("199990000", ""),
            ("pelton> ", "SELECT nothing;\r"),
            ("error: ", ""),
            ("pelton> ", ".tables\r"),
            ("1 row", ""),
            // The rows come at the end, which is hours away.
            ("pelton> ", "SELECT a.id + b.id + c.id FROM t a, t b, t c;\r"),
            ("read", "\u{3}"),
            ("cancelled", ""),
            ("pelton> ", "SELECT 'still' || ' here';\r"),
            ("still here", ""),
            ("pelton> ", "\u{4}"),
        ],
    );
    let Some(screen) = screen else { return };
    assert!(screen.contains(".help"), "{screen}");
    let history = fs::read_to_string(place.path("home/.local/state/pelton/history")).expect("a history");
    assert!(history.contains("sum(id) AS s FROM t;") && history.contains(".tables"), "{history}");
}

#[test]
fn words_lead_out_too() {
    let place = Place::new();
    place.parquet("t.parquet", 10);
    session(&place, &[("pelton> ", ".timer off\r"), ("timer off", ""), ("pelton> ", "\\q\r")]);
}

#[test]
fn the_prompt_completes_names_reads_its_file_and_keeps_secrets_out_of_the_history() {
    let place = Place::new();
    place.parquet("t.parquet", 10);
    fs::create_dir_all(place.path("home/.config/pelton")).expect("a folder");
    fs::write(place.path("home/.config/pelton/init.sql"), "CREATE VIEW from_init AS SELECT 42 AS answer;\n")
        .expect("written");
    let screen = session(
        &place,
        &[
            ("pelton> ", "SELECT * FROM from_i\t;\r"),
            ("1 row", ""),
            ("pelton> ", "SELECT count(*) AS n FROM 't.par\t;\r"),
            ("1 row", ""),
            ("pelton> ", ".tabels\r"),
            ("did you mean .tables?", ""),
            ("pelton> ", "SELECT 'my password' AS x;\r"),
            ("1 row", ""),
            ("pelton> ", "\u{4}"),
        ],
    );
    let Some(screen) = screen else { return };
    assert!(screen.contains("42"), "{screen}");
    let history = fs::read_to_string(place.path("home/.local/state/pelton/history")).expect("a history");
    assert!(history.contains("FROM from_init;") && history.contains("FROM 't.parquet';"), "{history}");
    assert!(!history.contains("password"), "{history}");
}
