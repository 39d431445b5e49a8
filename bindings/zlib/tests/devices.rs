//! Streams on an accelerator: software models, behind the drivers of the hardware.

mod common;

use std::path::Path;
use std::process::Command;

/// Debian's interpreter, which links the system's libz.
const PYTHON: &str = "/usr/bin/python3";

/// Software models.
const MODELS: [&str; 3] = ["iaa-model", "nx-model", "dfltcc-model"];

/// Script that prints the rows of `uncompressed` that the others compress.
const DATA: &str = r#"
import os, random, sys, threading, zlib
random.seed(3)
words = [b"carefully", b"final", b"requests", b"sleep", b"about", b"the", b"furiously", b"ironic", b"deposits"]
plain = b"".join(b"%d|%d|%s|\n" % (i, random.randrange(10**6), b" ".join(random.choices(words, k=8))) for i in range(20000))
plain += random.randbytes(100000) + bytes(100000)
"#;

/// Script with one-shot calls and streams at some levels; prints a line for each with its bytes.
const ALL: &str = r#"
for level in map(int, sys.argv[1].split(",")):
    whole = 0
    for size in (300, 1500, 4096, 16384, 60000, 200000):
        for start in range(0, len(plain), max(size, len(plain) // 20)):
            piece = plain[start:start + size]
            packed = zlib.compress(piece, level)
            assert zlib.decompress(packed) == piece, (level, size, start)
            whole += len(packed)
    streams = []
    for step, flush in ((10000, zlib.Z_NO_FLUSH), (70001, zlib.Z_SYNC_FLUSH), (300000, zlib.Z_FULL_FLUSH), (len(plain), zlib.Z_NO_FLUSH)):
        packer = zlib.compressobj(level, zlib.DEFLATED, 31)
        packed = b""
        for start in range(0, len(plain), step):
            packed += packer.compress(plain[start:start + step])
            if flush != zlib.Z_NO_FLUSH:
                packed += packer.flush(flush)
        packed += packer.flush()
        assert zlib.decompress(packed, 31) == plain, (level, step)
        streams.append(packed)
    open(sys.argv[2] + str(level), "wb").write(streams[0])
    print(level, whole, *map(len, streams))
"#;

/// Script that forks in the middle of a stream with blocks on a device, while another thread works.
const FORKED: &str = r#"
def work():
    for _ in range(20):
        assert zlib.decompress(zlib.compress(plain[:50000], 1)) == plain[:50000]
thread = threading.Thread(target=work)
thread.start()
packer = zlib.compressobj(1)
packed = packer.compress(plain[:500000])
children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        packed += packer.compress(plain[500000:]) + packer.flush()
        assert zlib.decompress(packed) == plain
        work()
        os._exit(0)
    children.append(child)
packed += packer.compress(plain[500000:]) + packer.flush()
thread.join()
assert zlib.decompress(packed) == plain
assert all(os.waitpid(child, 0)[1] == 0 for child in children), "a child's stream"
"#;

/// Output of a program, and the library's statistics.
struct Run {
    text: String,
    said: String,
}

/// Returns whether the interpreter is installed, and prints a line if not.
fn has_python() -> bool {
    let there = Path::new(PYTHON).exists();
    if !there {
        eprintln!("skipped: there is no {PYTHON}");
    }
    there
}

fn place(name: &str) -> String {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("devices-{name}-")).display().to_string()
}

/// Runs a program with these devices; on the system's zlib if `None`.
fn run(name: &str, program: &str, levels: &str, devices: Option<&str>, settings: &[(&str, &str)]) -> Run {
    let mut command = Command::new(PYTHON);
    command.args(["-c", &format!("{DATA}{program}"), levels, &place(name)]);
    if let Some(devices) = devices {
        command.env("LD_PRELOAD", common::ours()).env("PELTON_ZLIB_STATS", "1");
        command.env("PELTON_ZLIB_DEVICES", devices);
    }
    let output = command.envs(settings.iter().copied()).output().expect("Python runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{name}: {text}{said}");
    Run { text, said }
}

impl Run {
    /// Returns the router's counters of an operation on a device: tried and done.
    fn counted(&self, device: &str, operation: &str) -> (u64, u64) {
        let begin = format!("{device} ");
        let row = self.said.lines().map(str::trim).find_map(|line| {
            let rest = line.strip_prefix(&begin)?.trim_start().strip_prefix(operation)?;
            rest.trim_start().strip_prefix("deflate")
        });
        let mut numbers = row.unwrap_or_default().split_whitespace().map_while(|word| word.parse().ok());
        (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
    }

    /// Returns the sizes that the program printed.
    fn lengths(&self) -> Vec<u64> {
        self.text.split_whitespace().map(|word| word.parse().expect("a number")).collect()
    }
}

/// Decompresses the stream of a run with the system's zlib.
fn read_by_system(name: &str, level: u32) {
    let program = format!("{DATA}assert zlib.decompress(open(sys.argv[1], 'rb').read(), 31) == plain");
    let mut command = Command::new(PYTHON);
    let output = command.args(["-c", &program, &format!("{}{level}", place(name))]).output();
    let output = output.expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The DEFLATE instruction of IBM z15, as a model whose calls are mostly interrupted.
#[test]
fn an_instruction_gets_jobs_as_a_device_does() {
    if !has_python() {
        return;
    }
    let got = run("dfltcc", ALL, "1,6", Some("dfltcc-model:cc3-every=2:seed=1"), &[]);
    for operation in ["compress", "compress part", "decompress"] {
        let (tried, done) = got.counted("dfltcc-model", operation);
        // Random data is left to the calling thread, as the instruction has no stored blocks.
        assert!(done > 20 && done > tried / 2, "{operation}: {done} of {tried}\n{}", got.said);
    }
    assert!(got.said.contains("dfltcc-model modelled: "), "{}", got.said);
    [1, 6].into_iter().for_each(|level| read_by_system("dfltcc", level));
    let got = run("dfltcc-faults", ALL, "1", Some("dfltcc-model:fault-every=7"), &[]);
    assert!(got.said.contains("dfltcc-model fell back"), "{}", got.said);
    read_by_system("dfltcc-faults", 1);
}

#[test]
fn a_device_alone_gets_every_job_that_it_supports() {
    if !has_python() {
        return;
    }
    for (device, setting) in [("iaa-model", "iaa-model:windows=try"), ("nx-model", "nx-model:engines=2")] {
        let got = run("alone", ALL, "1,6,9", Some(setting), &[]);
        for operation in ["compress part", "compress ", "decompress"] {
            let (tried, done) = got.counted(device, operation);
            assert!(done > 20 && tried >= done, "{operation}: {tried} {done}\n{}", got.said);
        }
        assert!(got.said.contains("device whole") && got.said.contains("device blocks"), "{}", got.said);
        // The device has no level 9, so the calling thread compresses.
        let refused = format!("{device} refused compress deflate: the device has no such level");
        assert!(got.said.contains(&refused), "{}", got.said);
        for level in [1, 6, 9] {
            read_by_system("alone", level);
        }
    }
}

#[test]
fn level_1_of_rows_is_no_longer_than_zlibs() {
    if !has_python() {
        return;
    }
    let got = run("level-1", ALL, "1", Some("iaa-model"), &[]);
    assert!(got.counted("iaa-model", "compress part").1 > 20, "{}", got.said);
    let expected = run("level-1-system", ALL, "1", None, &[]);
    for (got, expected) in got.lengths().into_iter().zip(expected.lengths()) {
        assert!(got <= expected, "{got} bytes, and zlib's are {expected}");
    }
}

#[test]
fn beside_the_caller_it_has_quick_levels_only() {
    if !has_python() {
        return;
    }
    let got = run("beside", ALL, "6", Some("iaa-model,cpu"), &[]);
    for operation in ["compress part", "compress "] {
        assert_eq!(got.counted("iaa-model", operation), (0, 0), "{}", got.said);
    }
    let alone = run("beside-alone", ALL, "6", Some("cpu"), &[]);
    assert_eq!(got.text, alone.text);
    assert!(!alone.said.contains("iaa"), "{}", alone.said);
    // At level 1 the router is asked, and chooses either.
    let got = run("beside-quick", ALL, "1", Some("iaa-model,cpu"), &[]);
    let by = |device| got.counted(device, "compress part").1;
    assert!(by("cpu") + by("iaa-model") > 20, "{}", got.said);
}

#[test]
fn faults_are_made_good() {
    if !has_python() {
        return;
    }
    for (device, setting) in [("iaa-model", "iaa-model:windows=try"), ("nx-model", "nx-model")] {
        for every in [2, 7] {
            let got = run("faults", ALL, "1,6", Some(&format!("{setting}:fault-every={every}")), &[]);
            assert!(got.said.contains(&format!("{device} fell back")), "{}", got.said);
            assert!(!got.said.contains(" 0 faults injected"), "{}", got.said);
            read_by_system("faults", 6);
        }
    }
}

#[test]
fn threads_share_it() {
    if !has_python() {
        return;
    }
    for device in MODELS {
        let got = run("threads", ALL, "1,6", Some(device), &[("PELTON_ZLIB_THREADS", "4")]);
        assert!(got.counted(device, "compress part").1 > 20, "{}", got.said);
        read_by_system("threads", 6);
    }
}

#[test]
fn a_fork_has_its_own() {
    for device in MODELS.into_iter().filter(|_| has_python()) {
        let got = run("forked", FORKED, "1", Some(device), &[]);
        assert!(got.counted(device, "compress part").1 > 0, "{}", got.said);
    }
}

#[test]
fn reproducible_streams_use_no_device() {
    if !has_python() {
        return;
    }
    let settings = [("PELTON_ZLIB_REPRODUCIBLE", "1")];
    let got = run("same", ALL, "1,6", Some("iaa-model"), &settings);
    assert_eq!(got.text, run("same-cpu", ALL, "1,6", Some("cpu"), &settings).text);
    assert_eq!(got.counted("iaa-model", "compress part"), (0, 0), "{}", got.said);
}

/// A level that is set midway is the one that is requested.
#[test]
fn level_0_is_stored_by_whoever_has_the_stream() {
    const PROGRAM: &str = r#"
import ctypes
libz = ctypes.CDLL("libz.so.1")
names = "next_in avail_in total_in next_out avail_out total_out msg state zalloc zfree opaque data_type adler reserved"
types = (ctypes.c_void_p, ctypes.c_uint, ctypes.c_ulong) * 2 + (ctypes.c_void_p,) * 5 + (ctypes.c_int, ctypes.c_ulong, ctypes.c_ulong)
class Stream(ctypes.Structure):
    _fields_ = list(zip(names.split(), types))
stream, room = Stream(), ctypes.create_string_buffer(1 << 20)
plain = ctypes.create_string_buffer(bytes(100000), 100000)
assert libz.deflateInit_(ctypes.byref(stream), 6, b"1.3.1", ctypes.sizeof(stream)) == 0
stream.next_in, stream.avail_in = ctypes.addressof(plain), 50000
stream.next_out, stream.avail_out = ctypes.addressof(room), 1 << 20
assert libz.deflate(ctypes.byref(stream), 0) == 0
assert libz.deflateParams(ctypes.byref(stream), 0, 0) == 0
stream.avail_in = 50000
assert libz.deflate(ctypes.byref(stream), 4) == 1
print((1 << 20) - stream.avail_out)
"#;
    if has_python() {
        let got = run("stored", PROGRAM, "", Some("iaa-model"), &[]);
        assert!(got.counted("iaa-model", "compress part").1 > 0, "{}", got.said);
        assert!((50_000..51_000).contains(&got.lengths()[0]), "{}", got.text);
    }
}

/// A program's signals are handled on its own threads.
#[test]
fn threads_of_the_model_take_no_signals() {
    const PROGRAM: &str = r#"
import glob, re
zlib.compress(plain, 1)
blocked = []
for status in glob.glob("/proc/self/task/*/status"):
    text = open(status).read()
    if sys.argv[1] in text:
        blocked.append(int(re.search(r"SigBlk:\s*(\w+)", text)[1], 16))
assert blocked, "the model has threads"
assert all(mask & 1 << 9 for mask in blocked), [hex(mask) for mask in blocked]
"#;
    if has_python() {
        for (device, thread) in
            [("iaa-model", "iaa-model"), ("nx-model", "nx-model"), ("dfltcc-model", "pelton-dfltcc")]
        {
            run("signals", PROGRAM, thread, Some(device), &[]);
        }
    }
}

/// A library that compresses in its constructor: a thread that starts then waits for the loader,
/// and the constructor must not wait for the thread.
#[test]
fn a_constructor_gets_its_answer() {
    const SOURCE: &str = r#"
#include <zlib.h>
static unsigned char plain[100000], packed[200000];
int result = 1;
__attribute__((constructor)) static void compress_early(void) {
    unsigned long len = sizeof packed;
    result = compress2(packed, &len, plain, sizeof plain, 1);
}
"#;
    const PROGRAM: &str = r#"
import ctypes
library = ctypes.CDLL(sys.argv[1])
assert ctypes.c_int.in_dll(library, "result").value == 0
"#;
    if !has_python() {
        return;
    }
    let (source, library) = (place("early") + ".c", place("early") + ".so");
    std::fs::write(&source, SOURCE).expect("a source");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o", &library, &source, "-lz"]);
    assert!(compiler.status().expect("a C compiler").success(), "no library: install zlib1g-dev");
    for device in MODELS {
        run("early", PROGRAM, &library, Some(device), &[]);
    }
}

/// Either the device is there and has jobs, or a warning gives the reason.
#[test]
fn hardware_that_is_not_there_is_done_without() {
    if !has_python() {
        return;
    }
    for device in ["iaa", "nx"] {
        let got = run("hardware", FORKED, "1", Some(device), &[]);
        let lines = got.said.matches(&format!("pelton zlib: a device is not available: {device}: ")).count();
        let (tried, _) = got.counted(device, "compress part");
        assert!(lines == 1 || tried > 0, "{}", got.said);
    }
}
