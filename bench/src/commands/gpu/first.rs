//! First run of a query in a process, without compiled kernels on disk and with all of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use super::Options;
use pelton_tpch::Error;
use pelton_tpch::engine::system::{Local, LocalOptions, System};

/// The folder of compiled kernels is named by this.
const KERNEL_CACHE: &str = "PELTON_KERNEL_CACHE";

/// One query's first runs.
#[derive(Clone, Debug, Serialize)]
pub struct FirstRun {
    /// 1 to 22.
    pub query: u8,
    /// Milliseconds without compiled kernels.
    pub empty_ms: f64,
    /// Milliseconds in the next process, which finds them.
    pub filled_ms: f64,
}

impl FirstRun {
    /// Returns the time of compiling, estimated from these two.
    pub fn compile_ms(&self) -> f64 {
        (self.empty_ms - self.filled_ms).max(0.0)
    }
}

/// Runs each query in two processes of its own kind, one after the other, which share an empty
/// folder for kernels.
pub fn measure(options: &Options, scale_factor: f64) -> Result<Vec<FirstRun>, Error> {
    let folder = Folder::new()?;
    let queries = options.chosen()?;
    let empty = process(options, scale_factor, &folder.0)?;
    let filled = process(options, scale_factor, &folder.0)?;
    if empty.len() != queries.len() || filled.len() != queries.len() {
        return Err(failed("it did not run every query".into()));
    }
    let runs = queries.iter().zip(empty).zip(filled);
    Ok(runs
        .map(|((query, empty_ms), filled_ms)| FirstRun { query: query.number, empty_ms, filled_ms })
        .collect())
}

fn process(options: &Options, scale_factor: f64, kernels: &Path) -> Result<Vec<f64>, Error> {
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new(program);
    command.args(["gpu", "--first-runs", "--device", &settings()]).env(KERNEL_CACHE, kernels);
    command.args(["--sf", &scale_factor.to_string(), "--codec", &options.codec.to_string()]);
    command.args(["--queries", &options.queries, "--threads", &options.threads().to_string()]);
    if let Some(cache) = &options.cache {
        command.arg("--cache").arg(cache);
    }
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))
}

/// Returns the device as it was given to this process: its choice does not print its settings.
fn settings() -> String {
    let mut arguments = std::env::args().skip_while(|argument| !argument.starts_with("--device"));
    match arguments.next() {
        Some(argument) => match argument.split_once('=') {
            Some((_, value)) => value.to_owned(),
            None => arguments.next().unwrap_or_default(),
        },
        None => "cuda".to_owned(),
    }
}

/// Prints the milliseconds of each query as JSON, in the other process.
pub fn serve(options: &Options) -> Result<bool, Error> {
    let [scale_factor] = options.sf[..] else { return Err(Error::Argument("give one --sf".into())) };
    let dataset = options.dataset(scale_factor)?;
    let local =
        LocalOptions { devices: Some(options.device.clone()), ..LocalOptions::threads(options.threads()) };
    let mut system = Local::open(&dataset, &local)?;
    if let [note, ..] = system.notes() {
        return Err(Error::Argument(note.clone()));
    }
    let runs = options.chosen()?.into_iter().map(|query| Ok(system.query(query.sql, false)?.ms));
    let runs = runs.collect::<Result<Vec<f64>, Error>>()?;
    println!("{}", serde_json::Value::from(runs));
    Ok(true)
}

fn failed(reason: String) -> Error {
    Error::Rival { name: "the process for first runs".into(), reason }
}

/// An empty folder, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, Error> {
        let path = std::env::temp_dir().join(format!("pelton-bench-kernels-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).map_err(|error| Error::io(&path, error))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // left to the system if it can't be removed
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
