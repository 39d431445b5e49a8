//! Test in a process with `libcuda.cpp` as its libcuda.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use parking_lot::Mutex;

use pelton_device_cuda::{Gpu, Kernel, Label, Source, SpanKind};

/// Runs the test in a process with the fake driver, where it must pass, and returns the driver's
/// calls; `None` in that process. `flags` are for building it, `settings` its environment.
pub fn calls(test: &str, flags: &[&str], settings: &[(&str, &str)]) -> Option<Vec<String>> {
    if std::env::var_os("FAKE_LOG").is_some() {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let output = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env("LD_LIBRARY_PATH", driver(flags))
        .env("FAKE_LOG", &log)
        .env("PELTON_KERNEL_CACHE", folder.path().join("cache"))
        .env("PELTON_NVRTC", nvrtc())
        .envs(settings.iter().copied())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && printed.contains("test result: ok. 1 passed"),
        "{test}: {}\n{printed}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    let calls = std::fs::read_to_string(log).unwrap_or_default();
    Some(calls.lines().map(str::to_string).collect())
}

/// Returns the folder of a driver that was built with these flags, once for the process.
fn driver(flags: &[&str]) -> PathBuf {
    static BUILT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("libcuda{}", flags.concat()));
    let mut built = BUILT.lock();
    if built.insert(folder.clone()) {
        std::fs::create_dir_all(&folder).unwrap();
        let new = folder.join(format!("{}.so", std::process::id()));
        let status = Command::new("g++")
            .args(["-O0", "-w", "-std=c++17", "-shared", "-fPIC"])
            .args(flags)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/driver/libcuda.cpp"))
            .arg("-o")
            .arg(&new)
            .status();
        assert!(status.unwrap().success());
        // in one step, as another process may be using the library
        std::fs::rename(&new, folder.join("libcuda.so")).unwrap();
    }
    folder
}

/// Returns the folder of `make nvrtc`, unless the environment names one.
fn nvrtc() -> PathBuf {
    if let Some(said) = std::env::var_os("PELTON_NVRTC") {
        return said.into();
    }
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/lib");
    let pythons = std::fs::read_dir(&lib).into_iter().flatten().flatten();
    let folders = pythons.map(|python| python.path().join("site-packages/nvidia/cu13/lib"));
    folders
        .into_iter()
        .find(|folder| folder.exists())
        .expect("there is no NVRTC in .venv; `make nvrtc` installs it")
}

pub fn count(calls: &[String], call: &str) -> usize {
    calls.iter().filter(|other| *other == call).count()
}

/// Checks that everything that was made was released.
#[track_caller]
pub fn assert_balanced(calls: &[String]) {
    for (made, given_back) in [
        ("cuStreamCreate", "cuStreamDestroy_v2"),
        ("cuEventCreate", "cuEventDestroy_v2"),
        ("cuMemAllocAsync", "cuMemFreeAsync"),
        ("cuMemHostAlloc", "cuMemFreeHost"),
        ("cuModuleLoadData", "cuModuleUnload"),
        ("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2"),
    ] {
        assert_eq!(count(calls, made), count(calls, given_back), "{made} and {given_back}");
    }
}

/// Compiles a kernel with a name of the fake driver's, which runs its own for it.
pub fn kernel(gpu: &Gpu, name: &str) -> Kernel {
    let text = format!(
        "#include \"pelton/prelude.cuh\"\n\
         struct Params {{ u64 address; u64 bytes; }};\n\
         PELTON_KERNEL({name}, Params, p) {{\n\
           if (threadIdx.x < p.bytes) reinterpret_cast<u8*>(p.address)[threadIdx.x]++;\n\
         }}"
    );
    let source = Source { name: format!("{name}.cu"), text, headers: vec![] };
    gpu.compile(&source).unwrap().kernel(name).unwrap()
}

pub fn label(text: &str) -> Label {
    Label { kind: SpanKind::Kernel, text: text.into(), bytes: 0 }
}
