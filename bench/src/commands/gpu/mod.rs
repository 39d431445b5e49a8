//! `pelton-bench gpu`: measurements of a GPU, and its limits by bandwidth.
//!
//! With `--device cuda-host` everything runs on the host build of the kernels: a check that this
//! command works. Its record says that the figures are no GPU's.

mod arithmetic;
mod copies;
mod first;
mod formats;
mod queries;
mod tables;

use std::path::PathBuf;

use pelton::{CudaHostSettings, CudaSettings, DeviceChoice, Wanted};
use pelton_device_cuda::{CudaOptions, Gpu, HostOptions};
use serde::Serialize;

use crate::record::{Data, Record};
use arithmetic::Bound;
use copies::Copies;
use first::FirstRun;
use formats::FormatFigures;
use pelton_tpch::Error;
use pelton_tpch::data::cache::{default_cache_folder, ensure};
use pelton_tpch::data::codec::Codec;
use pelton_tpch::engine::protocol::Identity;
use pelton_tpch::queries::choose;
use queries::Phase;

/// Options of the measurement.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pelton-bench gpu --sf 10,30
  pelton-bench gpu --device cuda:ordinal=1 --sf 10 --codec zstd:3
  pelton-bench gpu --device cuda-host --sf 0.01 --runs 1    a check that needs no GPU")]
pub struct Options {
    /// The GPU, or the host build of its kernels: cuda or cuda-host, with settings as `pelton sql`
    /// has them
    #[arg(long, default_value = "cuda")]
    device: DeviceChoice,
    /// TPC-H scale factors [default: 10,30; for cuda-host 0.01]
    #[arg(long, value_delimiter = ',')]
    sf: Vec<f64>,
    /// Codec of the data, for both engines
    #[arg(long, default_value = "lz4_raw")]
    codec: Codec,
    /// Queries, such as 1,6,12-14
    #[arg(long, default_value = "1-22")]
    queries: String,
    /// Counted runs of each query; the median is reported
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Threads of each engine [default: the machine's cores]
    #[arg(long)]
    threads: Option<usize>,
    /// Leave DuckDB out
    #[arg(long)]
    no_rival: bool,
    /// Folder for generated data [default: $XDG_CACHE_HOME/pelton, else ~/.cache/pelton]
    #[arg(long)]
    cache: Option<PathBuf>,
    /// Folder for records
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/records"))]
    records: PathBuf,
    /// Run each query once and print the milliseconds; this command starts itself so, in new
    /// processes
    #[arg(long, hide = true)]
    first_runs: bool,
}

/// Everything that was measured.
#[derive(Debug, Serialize)]
pub struct Figures {
    /// Name of the GPU, or of the host build.
    device: String,
    /// Whether these are figures of the host build, and of no GPU.
    is_host_build: bool,
    copies: Copies,
    formats: Vec<FormatFigures>,
    scale_factors: Vec<ScaleFactor>,
}

/// Measurements at one scale factor.
#[derive(Debug, Serialize)]
pub struct ScaleFactor {
    scale_factor: f64,
    first_runs: Vec<FirstRun>,
    phases: Vec<Phase>,
    bounds: Vec<Bound>,
}

/// Runs it and prints tables. Writes the record anew after each place of the data, so that a run
/// that is cut off keeps its figures. False if a query failed, returned wrong rows or did not run
/// on the GPU.
pub fn run(options: &Options) -> Result<bool, Error> {
    let [wanted] = options.device.wanted() else { return Err(not_a_gpu()) };
    if options.first_runs {
        return first::serve(options);
    }
    let gpu = open(*wanted)?;
    let properties = gpu.properties().clone();
    let title = tables::title(&properties);
    println!("{title}\n");
    let copies = Copies::measure(&gpu).map_err(device_failed)?;
    println!("{}", tables::copies(&copies));
    let formats = formats::measure(&gpu, usize::from(options.runs))?;
    println!("{}", tables::formats(&formats));
    // the queries open it anew, with all of its memory
    drop(gpu);

    let (device, is_host_build) = (properties.name, properties.is_host);
    let mut figures = Figures { device, is_host_build, copies, formats, scale_factors: Vec::new() };
    let (mut data, mut systems, mut folder) = (Vec::new(), Vec::new(), PathBuf::new());
    for scale_factor in options.scale_factors(is_host_build) {
        let dataset = options.dataset(scale_factor)?;
        data.push(Data::from(&dataset));
        let first_runs = first::measure(options, scale_factor)?;
        let index = figures.scale_factors.len();
        let (phases, bounds) = (Vec::new(), Vec::new());
        figures.scale_factors.push(ScaleFactor { scale_factor, first_runs, phases, bounds });
        queries::run(options, &dataset, scale_factor, &mut |phases, scanned, engines| {
            let measured = &mut figures.scale_factors[index];
            measured.phases = phases.to_vec();
            measured.bounds = arithmetic::bounds(&copies, scanned, phases);
            systems = engines.to_vec();
            folder = record(options, &title, &figures, &data, &systems)?;
            Ok(())
        })?;
        println!("{}", tables::scale_factor(&figures.scale_factors[index]));
    }
    println!("recorded in {}", folder.display());
    Ok(figures.scale_factors.iter().flat_map(|one| &one.phases).all(Phase::is_right))
}

/// Writes the measurements so far, and returns the folder.
fn record(
    options: &Options,
    title: &str,
    figures: &Figures,
    data: &[Data],
    systems: &[Identity],
) -> Result<PathBuf, Error> {
    let name = if figures.is_host_build { "gpu-host-build" } else { "gpu" };
    let record = Record::new(name, systems.to_vec(), options.threads(), data.to_vec(), figures);
    record.write(&options.records, &tables::markdown(title, figures))
}

impl Options {
    fn threads(&self) -> usize {
        self.threads.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1)
    }

    fn scale_factors(&self, is_host_build: bool) -> Vec<f64> {
        match (self.sf.is_empty(), is_host_build) {
            (false, _) => self.sf.clone(),
            (true, true) => vec![0.01],
            (true, false) => vec![10.0, 30.0],
        }
    }

    fn dataset(&self, scale_factor: f64) -> Result<pelton_tpch::data::cache::Dataset, Error> {
        let cache = self.cache.clone().map_or_else(default_cache_folder, Ok)?;
        ensure(&cache, scale_factor, self.codec, self.threads(), &|_| {})
    }

    fn chosen(&self) -> Result<Vec<&'static pelton_tpch::queries::Query>, Error> {
        choose(&self.queries)
    }
}

fn device_failed(error: pelton_device_cuda::Error) -> Error {
    Error::Device(error.to_string())
}

fn not_a_gpu() -> Error {
    Error::Argument("this measures one GPU: use --device cuda, or cuda-host for a check without one".into())
}

fn open(wanted: Wanted) -> Result<Gpu, Error> {
    let gpu = match wanted {
        Wanted::Cuda(CudaSettings { ordinal, memory, .. }) => {
            Gpu::cuda(CudaOptions { ordinal, memory_limit: memory })
        }
        Wanted::CudaHost(CudaHostSettings { memory, threads, .. }) => {
            let threads = threads.get();
            Gpu::host(HostOptions { memory_limit: memory, threads, ..HostOptions::default() })
        }
        _ => return Err(not_a_gpu()),
    };
    gpu.map_err(device_failed)
}
