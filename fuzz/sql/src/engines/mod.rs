//! Engines in processes of their own, each with the tables that are asked about.

mod server;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use server::Server;

use crate::answer::Outcome;
use crate::tables::{Table, write};

/// The engine that is right.
pub const DUCKDB: &str = "duckdb";

/// DuckDB without its optimizer.
pub const PLAIN_DUCKDB: &str = "duckdb plain";

/// Pelton in its usual configuration.
pub const USUAL: &str = "device=cpu threads=2";

/// Pelton in other ways, by how often they are asked: a configuration of GPU kernels compiles each
/// query with g++.
pub const OTHERS: [(&str, usize); 14] = [
    ("device=cpu threads=1", 90),
    ("device=cpu threads=4", 90),
    ("device=cpu threads=2 decode-first", 90),
    ("device=cpu threads=2 checksums", 18),
    ("batch=3", 54),
    ("batch=100", 36),
    ("device=iaa-model threads=2", 72),
    ("device=cpu threads=1 memory=262144", 27),
    ("device=cpu threads=2 memory=1048576", 36),
    ("device=cpu threads=4 memory=4194304", 36),
    ("device=cpu threads=2 memory=16777216", 36),
    ("device=cuda-host threads=2", 2),
    ("device=cuda-host:passes=4 threads=2", 1),
    ("device=cuda-host threads=2 cached", 1),
];

/// Paths of the programs.
#[derive(Debug, Clone)]
pub struct Programs {
    /// Pelton as a server.
    pub pelton: PathBuf,
    /// Python with DuckDB and pyarrow.
    pub python: PathBuf,
}

/// Servers by configuration, started when they are first asked.
pub struct Engines {
    programs: Programs,
    scratch: tempfile::TempDir,
    servers: HashMap<String, Server>,
    /// The tables that are written, and their folders.
    tables: Arc<Vec<Table>>,
    folders: Vec<String>,
    /// Number of written sets of tables, so that a server sees whether its tables are current.
    version: u64,
}

impl Engines {
    /// None is started yet.
    ///
    /// # Errors
    /// There is no folder for temporary files.
    pub fn new(programs: Programs) -> io::Result<Self> {
        let memory = Path::new("/dev/shm");
        let scratch = if memory.is_dir() { tempfile::tempdir_in(memory)? } else { tempfile::tempdir()? };
        let servers = HashMap::new();
        Ok(Self { programs, scratch, servers, tables: Arc::default(), folders: Vec::new(), version: 0 })
    }

    /// Writes tables for the following queries.
    fn load(&mut self, tables: &Arc<Vec<Table>>) -> io::Result<()> {
        if Arc::ptr_eq(&self.tables, tables) {
            return Ok(());
        }
        self.version += 1;
        let folder = self.scratch.path().join(self.version.to_string());
        self.folders = tables.iter().map(|table| write(table, &folder)).collect::<io::Result<_>>()?;
        self.tables = Arc::clone(tables);
        let _ = std::fs::remove_dir_all(self.scratch.path().join((self.version - 1).to_string()));
        Ok(())
    }

    /// Asks one engine a query over some tables.
    ///
    /// # Errors
    /// It can't be started, or a file can't be written.
    pub fn ask(&mut self, configuration: &str, tables: &Arc<Vec<Table>>, sql: &str) -> io::Result<Outcome> {
        self.load(tables)?;
        if !self.servers.contains_key(configuration) {
            let server = self.start(configuration)?;
            self.servers.insert(configuration.to_owned(), server);
        }
        let Some(server) = self.servers.get_mut(configuration) else { return Ok(Outcome::Hung) };
        if server.version != self.version {
            let mut outcomes = vec![server.reset()];
            for (table, folder) in self.tables.iter().zip(&self.folders) {
                outcomes.push(server.table(&table.name, folder));
            }
            for outcome in outcomes {
                if !matches!(outcome, Outcome::Rows(_)) {
                    self.servers.remove(configuration);
                    return Ok(outcome);
                }
            }
            server.version = self.version;
        }
        let outcome = server.query(sql);
        if matches!(outcome, Outcome::Hung | Outcome::Died(_) | Outcome::Panicked(_)) {
            self.servers.remove(configuration);
        }
        Ok(outcome)
    }

    fn start(&self, configuration: &str) -> io::Result<Server> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle.py");
        let mut server = match configuration {
            DUCKDB => Server::start(&self.programs.python, &[script.display().to_string()])?,
            PLAIN_DUCKDB => {
                let words = [script.display().to_string(), "plain".to_owned()];
                Server::start(&self.programs.python, &words)?
            }
            words => {
                let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
                Server::start(&self.programs.pelton, &words)?
            }
        };
        match server.query("SELECT 1 AS c0") {
            Outcome::Rows(_) => Ok(server),
            outcome => {
                let hint =
                    if configuration == DUCKDB { "; `make rivals` installs what it needs" } else { "" };
                Err(io::Error::other(format!("{configuration:?} does not start: {outcome:?}{hint}")))
            }
        }
    }
}
