//! PostgreSQL's dumps of TPC-H: `pg_dump -Fc -Z6` and `pg_restore` with each library preloaded, on
//! a server of its own.
//!
//! The cost of compression alone is the difference to a dump with `-Z0`, run by run.

mod cluster;
mod tables;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::contest::{Common, Taken, turns};
use crate::libraries::{self, Library};
use crate::report::{Metric, Report};
use crate::sys::{Cost, cost};
use cluster::Cluster;

const METRICS: [Metric; 6] = [
    Metric { name: "codec MB/s of CPU", digits: 1, compared: true },
    Metric { name: "codec CPU s", digits: 2, compared: false },
    Metric { name: "wall s", digits: 2, compared: true },
    Metric { name: "user s", digits: 2, compared: false },
    Metric { name: "system s", digits: 2, compared: false },
    Metric { name: "bytes", digits: 0, compared: true },
];

/// Size of the data, and number of runs.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// TPC-H's scale factor
    #[arg(long, default_value_t = 1.0)]
    sf: f64,
    /// Counted runs of restoring into a database: minutes each at scale factor 1, nearly all of
    /// them the server's
    #[arg(long, default_value_t = 0)]
    load_runs: usize,
    #[command(flatten)]
    common: Common,
}

/// Progress of a measurement, in lines on standard error.
struct Progress {
    what: &'static str,
    done: usize,
    all: usize,
}

impl Progress {
    fn new(what: &'static str, all: usize) -> Self {
        Self { what, done: 0, all }
    }

    /// Says that the next run begins.
    fn next(&mut self, library: &Library) {
        self.done += 1;
        eprintln!("{}: run {} of {}, {}", self.what, self.done, self.all, library.name);
    }
}

/// The dumps, and the cost of one without compression.
struct Dumps<'a> {
    cluster: &'a Cluster,
    libraries: &'a [Library],
}

/// Loads the data, dumps and restores it.
pub fn run(options: &Options) -> Result<(), String> {
    let libraries = libraries::all()?;
    let cluster = Cluster::start()?;
    eprintln!("loading TPC-H at scale factor {}", options.sf);
    tables::load(&cluster, options.sf)?;
    let mut report = Report::start("zlib-pg-dump", &libraries, &["operation", "dump of"], &METRICS);
    let dumps = Dumps { cluster: &cluster, libraries: &libraries };
    let (runs, label) = (options.common.runs(), |what: &str, of: &str| vec![what.to_owned(), of.to_owned()]);
    let uncompressed = dumps.file("plain");
    dumps.dump("0", &libraries[1], &uncompressed)?;
    report.add(label("pg_dump -Fc -Z6", "itself"), dumps.write(runs, &uncompressed)?);
    for library in &libraries {
        dumps.same(library, &uncompressed)?;
    }
    for writer in &libraries[..2] {
        let taken = dumps.read(runs, &dumps.file(writer.name), &uncompressed)?;
        report.add(label("pg_restore to text", writer.name), taken);
    }
    if options.load_runs > 0 {
        let taken = dumps.load(options.load_runs, &dumps.file("zlib"), &uncompressed)?;
        report.add(label("pg_restore to database", "zlib"), taken);
    }
    report.finish(&options.common)
}

impl Dumps<'_> {
    fn file(&self, name: &str) -> PathBuf {
        self.cluster.folder().join(format!("{name}.dump"))
    }

    fn dump(&self, level: &str, library: &Library, to: &Path) -> Result<Cost, String> {
        let mut command = self.cluster.client("pg_dump");
        command.args(["-Fc", "-Z", level, "-f"]).arg(to).arg("tpch").env("LD_PRELOAD", &library.path);
        cost(&mut command)
    }

    /// As text, to nowhere.
    fn text(&self, library: &Library, from: &Path) -> Result<Cost, String> {
        let mut command = self.cluster.client("pg_restore");
        cost(command.args(["-f", "/dev/null"]).arg(from).env("LD_PRELOAD", &library.path))
    }

    /// Dumps with every library, each into a file of its own.
    fn write(&self, runs: usize, uncompressed: &Path) -> Result<Vec<Taken>, String> {
        let (megabytes, nowhere) = (len(uncompressed)? / 1e6, self.file("again"));
        let mut progress = Progress::new("pg_dump -Fc -Z6", runs * self.libraries.len());
        turns(runs, self.libraries.len(), |number| {
            let library = &self.libraries[number];
            progress.next(library);
            let to = self.file(library.name);
            let stored = self.dump("0", library, &nowhere)?;
            let compressed = self.dump("6", library, &to)?;
            Ok(values(compressed, stored, megabytes, len(&to)?))
        })
    }

    /// Restores one dump with every library.
    fn read(&self, runs: usize, dump: &Path, uncompressed: &Path) -> Result<Vec<Taken>, String> {
        let megabytes = len(uncompressed)? / 1e6;
        let mut progress = Progress::new("pg_restore to text", runs * self.libraries.len());
        turns(runs, self.libraries.len(), |number| {
            let library = &self.libraries[number];
            progress.next(library);
            let (stored, compressed) = (self.text(library, uncompressed)?, self.text(library, dump)?);
            Ok(values(compressed, stored, megabytes, len(dump)?))
        })
    }

    /// Restores one dump into a database with every library.
    fn load(&self, runs: usize, dump: &Path, uncompressed: &Path) -> Result<Vec<Taken>, String> {
        let megabytes = len(uncompressed)? / 1e6;
        let mut progress = Progress::new("pg_restore to database", runs * self.libraries.len());
        turns(runs, self.libraries.len(), |number| {
            progress.next(&self.libraries[number]);
            let into = |dump: &Path| {
                self.cluster.sql("postgres", "DROP DATABASE IF EXISTS again")?;
                self.cluster.sql("postgres", "CREATE DATABASE again")?;
                let mut command = self.cluster.client("pg_restore");
                command.args(["-d", "again"]).arg(dump).env("LD_PRELOAD", &self.libraries[number].path);
                cost(&mut command)
            };
            Ok(values(into(dump)?, into(uncompressed)?, megabytes, len(dump)?))
        })
    }

    /// Checks with Debian's zlib that a library's dump decompresses to the dump without
    /// compression.
    fn same(&self, library: &Library, uncompressed: &Path) -> Result<(), String> {
        let text = |dump: &Path, name: &str| {
            let to = self.file(name);
            let mut command = self.cluster.client("pg_restore");
            libraries::quietly(command.arg("-f").arg(&to).arg(dump))?;
            Ok::<_, String>(to)
        };
        let (expected, got) = (text(uncompressed, "expected")?, text(&self.file(library.name), "got")?);
        if lines(&expected)?.eq(lines(&got)?) {
            return Ok(());
        }
        Err(format!("the dump by {} holds something else than {}", library.name, uncompressed.display()))
    }
}

/// Returns the lines of a dump as text, without those that name a key, which is a new one each
/// time.
fn lines(path: &Path) -> Result<impl Iterator<Item = Vec<u8>>, String> {
    let file = fs::File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
    Ok(lines.filter(|line| !line.starts_with(b"\\restrict") && !line.starts_with(b"\\unrestrict")))
}

/// Returns a value for each of [`METRICS`].
fn values(compressed: Cost, stored: Cost, megabytes: f64, bytes: f64) -> Vec<f64> {
    let codec = compressed.cpu() - stored.cpu();
    vec![megabytes / codec, codec, compressed.wall, compressed.user, compressed.system, bytes]
}

fn len(path: &Path) -> Result<f64, String> {
    fs::metadata(path).map(|file| file.len() as f64).map_err(|error| format!("{}: {error}", path.display()))
}
