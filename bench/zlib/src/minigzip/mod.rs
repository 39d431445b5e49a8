//! Two small programs in C, linked with `-lz`, that compress and decompress files, as programs do
//! that were written for zlib.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::contest::{Common, turns};
use crate::data::Kind;
use crate::libraries::{self, Library, quietly};
use crate::report::{Metric, Report};
use crate::sys::cost;

const METRICS: [Metric; 4] = [
    Metric { name: "MB/s of CPU", digits: 1, compared: true },
    Metric { name: "CPU s", digits: 3, compared: false },
    Metric { name: "wall s", digits: 3, compared: false },
    Metric { name: "bytes", digits: 0, compared: true },
];
const PROGRAMS: [(&str, &str); 2] = [("gz", include_str!("gz.c")), ("stream", include_str!("stream.c"))];
const LEVELS: [&str; 3] = ["1", "6", "9"];

/// Data to compress.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Kinds of data; text of TPC-H that is compressed already comes with the first
    #[arg(long, value_delimiter = ',', default_value = "tpch-text,source,json")]
    data: Vec<Kind>,
    /// Plain megabytes of each
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=1024))]
    megabytes: u16,
    #[command(flatten)]
    common: Common,
}

/// A folder in memory with programs and files.
struct Shop {
    folder: tempfile::TempDir,
    libraries: Vec<Library>,
}

/// Runs them all.
pub fn run(options: &Options) -> Result<(), String> {
    let shop = Shop::open()?;
    let labels = &["data", "program", "operation"];
    let mut report = Report::start("zlib-minigzip", &shop.libraries, labels, &METRICS);
    let mut inputs = vec![];
    for kind in &options.data {
        let path = shop.file(kind.name());
        fs::write(&path, kind.make(usize::from(options.megabytes) << 20)?)
            .map_err(|error| error.to_string())?;
        inputs.push((kind.name().to_owned(), path));
    }
    let compressed = shop.file("compressed");
    shop.program("stream", &shop.libraries[1], "6", &inputs[0].1, &compressed)
        .and_then(|mut run| quietly(&mut run))?;
    inputs.push(("compressed".into(), compressed));
    for (name, input) in &inputs {
        for (program, _) in PROGRAMS {
            for level in LEVELS {
                shop.both_ways(&mut report, options, [name, program, level], input)?;
            }
        }
    }
    report.finish(&options.common)
}

impl Shop {
    /// Compiles the programs.
    fn open() -> Result<Self, String> {
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let folder = tempfile::tempdir_in(parent).map_err(|error| error.to_string())?;
        let shop = Self { folder, libraries: libraries::all()? };
        for (name, source) in PROGRAMS {
            let path = shop.file(&format!("{name}.c"));
            fs::write(&path, source).map_err(|error| error.to_string())?;
            let mut compile = Command::new("cc");
            quietly(compile.arg("-O2").arg("-o").arg(shop.file(name)).arg(&path).arg("-lz"))?;
        }
        Ok(shop)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a run of a program with a library for its libz.so.1.
    fn program(
        &self,
        name: &str,
        library: &Library,
        what: &str,
        from: &Path,
        to: &Path,
    ) -> Result<Command, String> {
        let mut command = Command::new(self.file(name));
        command.arg(what).arg(from).arg(to).env("LD_PRELOAD", &library.path);
        Ok(command)
    }

    /// Compresses with every library, and decompresses Debian's output; that all is right is looked
    /// at outside of the clock.
    fn both_ways(
        &self,
        report: &mut Report,
        options: &Options,
        cell: [&str; 3],
        input: &Path,
    ) -> Result<(), String> {
        let [data, program, level] = cell;
        let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
        let uncompressed = read(input)?;
        let megabytes = uncompressed.len() as f64 / 1e6;
        let (compressed, back) = (self.file("packed"), self.file("back"));
        let (runs, count) = (options.common.runs(), self.libraries.len());
        let taken = turns(runs, count, |library| {
            let library = &self.libraries[library];
            let taken = cost(&mut self.program(program, library, level, input, &compressed)?)?;
            quietly(&mut self.program(program, &self.libraries[1], "-d", &compressed, &back)?)?;
            if read(&back)? != uncompressed {
                return Err(format!("{} wrote something else for {data} -{level}", library.name));
            }
            Ok(vec![megabytes / taken.cpu(), taken.cpu(), taken.wall, read(&compressed)?.len() as f64])
        })?;
        report.add(vec![data.into(), program.into(), format!("compress -{level}")], taken);
        quietly(&mut self.program(program, &self.libraries[1], level, input, &compressed)?)?;
        let len = read(&compressed)?.len() as f64;
        let taken = turns(runs, count, |library| {
            let library = &self.libraries[library];
            let taken = cost(&mut self.program(program, library, "-d", &compressed, &back)?)?;
            if read(&back)? != uncompressed {
                return Err(format!("{} read something else of {data} -{level}", library.name));
            }
            Ok(vec![megabytes / taken.cpu(), taken.cpu(), taken.wall, len])
        })?;
        report.add(vec![data.into(), program.into(), format!("decompress -{level}")], taken);
        Ok(())
    }
}
