//! Streams that several threads compress, and reproducible streams.

mod common;

use std::path::Path;
use std::process::Command;

/// Debian's interpreter, which links the system's libz.
const PYTHON: &str = "/usr/bin/python3";

/// Script that compresses 3 MB of rows, noise and runs at three levels, in small pieces with some
/// flushes, also in a child of `fork` that was born in the middle of a stream. It prints the number
/// of threads, and a digest for each level.
const PROGRAM: &str = r#"
import hashlib, os, random, sys, zlib
from ctypes import *

libz = CDLL("libz.so.1")
names = "next_in avail_in total_in next_out avail_out total_out msg state zalloc zfree opaque data_type adler reserved"
types = (c_void_p, c_uint, c_ulong) * 2 + (c_void_p,) * 5 + (c_int, c_ulong, c_ulong)

class Stream(Structure):
    _fields_ = list(zip(names.split(), types))

class Packer:
    # Python's own streams have an allocator of Python's, and what that gave is not for threads.
    def __init__(self, level):
        self.stream, self.room = Stream(), create_string_buffer(1 << 20)
        assert libz.deflateInit2_(byref(self.stream), level, 8, 31, 8, 0, b"1.3.1", sizeof(Stream)) == 0
    def compress(self, plain, flush=zlib.Z_NO_FLUSH):
        held, packed = create_string_buffer(plain, len(plain) + 1), b""
        self.stream.next_in, self.stream.avail_in = addressof(held), len(plain)
        while True:
            self.stream.next_out, self.stream.avail_out = addressof(self.room), 1 << 20
            assert libz.deflate(byref(self.stream), flush) in (0, 1, -5)
            packed += self.room.raw[:(1 << 20) - self.stream.avail_out]
            if self.stream.avail_out > 0:
                return packed
    def flush(self, flush=zlib.Z_FINISH):
        return self.compress(b"", flush)

random.seed(1)
rows = b"".join(b"%d|%d|some words of row %d|\n" % (i, random.randrange(10**6), i % 97) for i in range(40000))
plain = rows + random.randbytes(600000) + bytes(400000) + rows[::-1]
for level in (1, 6, 9):
    packer, packed = Packer(level), []
    for place in range(0, len(plain), 10000):
        packed.append(packer.compress(plain[place:place + 10000]))
        if place == 1500000 and level == 1:
            child = os.fork()
            if child == 0:
                packed.append(packer.compress(plain[place + 10000:]) + packer.flush())
                os._exit(0 if zlib.decompress(b"".join(packed), 31) == plain else 1)
            assert os.waitpid(child, 0)[1] == 0, "the child's stream"
        if place % 1100000 == 0:
            packed.append(packer.flush(zlib.Z_SYNC_FLUSH if level > 1 else zlib.Z_PARTIAL_FLUSH))
    packed = b"".join(packed) + packer.flush()
    assert zlib.decompress(packed, 31) == plain
    open(sys.argv[1] + str(level), "wb").write(packed)
    print(level, hashlib.md5(packed).hexdigest())
print("threads", len(os.listdir("/proc/self/task")))
"#;

/// Script that compresses 3 MB by Python's own streams, which have an allocator of Python's: in one
/// call, and in pieces with little output. It prints the number of threads, and drops a stream
/// without an end.
const PIECES: &str = r#"
import os, random, zlib
random.seed(2)
plain = b"".join(b"%d|%d|some words of row %d|\n" % (i, random.randrange(10**6), i % 97) for i in range(60000))
plain += random.randbytes(700000)
for level in (1, 6, 9):
    for step in (50000, 1000000, len(plain)):
        packer = zlib.compressobj(level, zlib.DEFLATED, 31)
        packed = b"".join(packer.compress(plain[place:place + step]) for place in range(0, len(plain), step))
        twin = packer.copy()
        packed += packer.flush()
        assert zlib.decompress(packed, 31) == plain, (level, step)
        twin.compress(plain)
        del twin
    assert zlib.decompress(zlib.compress(plain, level)) == plain
print("threads", len(os.listdir("/proc/self/task")))
"#;

#[test]
fn a_call_on_a_callers_allocator_is_shared_among_threads() {
    if !has_python() {
        return;
    }
    for (count, there) in [("1", "threads 1\n"), ("4", "threads 4\n")] {
        let mut command = Command::new(PYTHON);
        command.args(["-c", PIECES]).env("LD_PRELOAD", common::ours()).env("PELTON_ZLIB_THREADS", count);
        let output = command.output().expect("Python runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(text, there, "{count} threads");
    }
}

/// Runs the script. Returns its output, and the streams that it wrote.
fn run(name: &str, settings: &[(&str, &str)]) -> (String, Vec<Vec<u8>>) {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("threads-{name}-"));
    let mut command = Command::new(PYTHON);
    command.arg("-c").arg(PROGRAM).arg(&place).env("LD_PRELOAD", common::ours());
    let output = command.envs(settings.iter().copied()).output().expect("Python runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{name}: {text}{}", String::from_utf8_lossy(&output.stderr));
    let read = |level| std::fs::read(format!("{}{level}", place.display())).expect("the program wrote it");
    (text, [1, 6, 9].map(read).into())
}

/// Returns whether the interpreter is installed, and prints a line if not.
fn has_python() -> bool {
    let there = Path::new(PYTHON).exists();
    if !there {
        eprintln!("skipped: there is no {PYTHON}");
    }
    there
}

/// Decompresses a stream by the system's zlib. Returns a digest of the data.
fn read_by_system(stream: &Path) -> String {
    let program = "import hashlib, sys, zlib; \
                   print(hashlib.md5(zlib.decompress(open(sys.argv[1], 'rb').read(), 31)).hexdigest())";
    let output = Command::new(PYTHON).args(["-c", program]).arg(stream).output().expect("Python runs");
    assert!(output.status.success(), "{}: {}", stream.display(), String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn many_threads_write_the_same_data() {
    if !has_python() {
        return;
    }
    let (alone, _) = run("1", &[]);
    assert!(alone.contains("threads 1\n"), "no thread is started before it is asked for: {alone}");
    for count in ["2", "5"] {
        let (text, _) = run(count, &[("PELTON_ZLIB_THREADS", count)]);
        assert!(text.contains(&format!("threads {count}\n")), "{text}");
        for level in [1, 6, 9] {
            let streams = [count, "1"].map(|name| {
                read_by_system(
                    &Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("threads-{name}-{level}")),
                )
            });
            assert_eq!(streams[0], streams[1], "{count} threads, level {level}");
        }
    }
}

#[test]
fn reproducible_streams_depend_on_neither_threads_nor_instructions() {
    if !has_python() {
        return;
    }
    let (_, alone) = run("same-1", &[("PELTON_ZLIB_REPRODUCIBLE", "1")]);
    let (_, many) = run("same-4", &[("PELTON_ZLIB_REPRODUCIBLE", "1"), ("PELTON_ZLIB_THREADS", "4")]);
    let (_, dated) = run("same-dated", &[("SOURCE_DATE_EPOCH", "0")]);
    assert!(alone == many && alone == dated);
    for instructions in ["avx2", "portable"] {
        let settings = [("PELTON_ZLIB_REPRODUCIBLE", "1"), ("PELTON_ZLIB_INSTRUCTIONS", instructions)];
        let (_, streams) = run(&format!("same-{instructions}"), &settings);
        assert!(alone == streams, "{instructions}");
    }
}
