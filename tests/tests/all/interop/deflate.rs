//! Streams of the block encoder, decoded by other languages: Python's zlib, Go's compress/flate and
//! Java's Inflater. Each checks all streams in one run.

use std::ffi::OsStr;
use std::process::Command;

use pelton_codec::{BitWriter, BlockEncoder, Format, Window, compress_bound};
use pelton_tests::python::{self, repository};

use crate::support::Scratch;

/// Returns data with repetitions near and far, and noise in some of its pieces.
fn plain(len: usize) -> Vec<u8> {
    let line = |i: usize| match i / 40 % 4 {
        3 => (0..64)
            .map(|byte| (i * 64 + byte).wrapping_mul(0x9E37_79B9) as u32 >> 24)
            .map(|b| b as u8)
            .collect(),
        _ => format!("line {i} has {} in common with {}\n", i * i % 91, i % 13).into_bytes(),
    };
    (0..).flat_map(line).take(len).collect()
}

fn pack(coder: &mut BlockEncoder, plain: &[u8], level: i32) -> Vec<u8> {
    let mut packed = vec![0; compress_bound(Format::Deflate, plain.len())];
    let mut to = BitWriter::new(&mut packed);
    coder.deflate_block(plain, &[], level, true, &mut to).expect("the bound suffices");
    let len = to.finish().expect("the bound suffices");
    packed.truncate(len);
    packed
}

/// Returns streams of every level, in a file as `inflate.py` describes it, and their number.
fn streams() -> (Vec<u8>, usize) {
    let longest = plain(3_000_000);
    let (zeros, mut coder) = (vec![0; 300_000], BlockEncoder::new());
    let (mut file, mut count) = (Vec::new(), 0);
    for window in [Window::FULL, Window::SMALL] {
        coder.set_window(window);
        for level in 0..=9 {
            let some = (0..=300).chain([4096, 16_385, 65_535, 65_537, 200_000]).map(|len| &longest[..len]);
            for plain in
                some.chain([&zeros[..], &zeros[..259]]).chain((level % 5 == 1).then_some(&longest[..]))
            {
                let packed = pack(&mut coder, plain, level);
                for len in [plain.len(), packed.len()] {
                    file.extend_from_slice(&u32::try_from(len).expect("streams are short").to_le_bytes());
                }
                file.extend_from_slice(plain);
                file.extend_from_slice(&packed);
                count += 1;
            }
        }
    }
    (file, count)
}

/// Runs a program with arguments, a script of `tests/interop` and the file. It prints how many
/// streams it found sound.
fn check(program: &OsStr, arguments: &[&str], script: &str) {
    let scratch = Scratch::new();
    let (file, count) = streams();
    let file = scratch.write("streams", &file);
    let script = repository().join("tests/interop").join(script);
    // Go must not look for another version of itself on the network.
    let mut command = Command::new(program);
    let command = command.args(arguments).arg(script).arg(file).env("GOTOOLCHAIN", "local");
    let done = command.output().expect("the program can be started");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{}: {errors}", program.display());
    assert_eq!(String::from_utf8_lossy(&done.stdout).trim(), count.to_string(), "{errors}");
}

/// Returns the first of some programs that can be started. `None`, and a line that says so, if
/// there is none.
fn program<'a>(candidates: &[&'a str], version: &str) -> Option<&'a OsStr> {
    let starts =
        |name: &&str| Command::new(name).arg(version).output().is_ok_and(|done| done.status.success());
    let found = candidates.iter().copied().find(starts);
    if found.is_none() {
        eprintln!("skipped: there is no {}", candidates[0]);
    }
    found.map(OsStr::new)
}

#[test]
fn python_inflates_every_stream() {
    let Some(interpreter) = python::interpreter() else { return };
    check(interpreter.as_os_str(), &[], "inflate.py");
}

#[test]
fn go_inflates_every_stream() {
    let Some(go) = program(&["go", "/usr/local/go/bin/go"], "version") else { return };
    check(go, &["run"], "inflate.go");
}

#[test]
fn java_inflates_every_stream() {
    // From version 11 on, a source file can be run.
    let Some(java) = program(&["java"], "--version") else { return };
    check(java, &[], "Inflate.java");
}
