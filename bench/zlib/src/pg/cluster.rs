//! Temporary PostgreSQL server on loopback. It is removed with its data, and ends with this
//! process.

use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::libraries::quietly;

/// Settings for fast loading without durability, since the data can be made again.
const SETTINGS: &str = "listen_addresses=127.0.0.1 fsync=off full_page_writes=off wal_level=minimal max_wal_senders=0 \
                        shared_buffers=512MB max_wal_size=4GB autovacuum=off";

/// The longest time until a server is ready.
const START: Duration = Duration::from_secs(60);

/// A server that runs.
pub struct Cluster {
    /// `None` before it is started.
    process: Option<Child>,
    folder: tempfile::TempDir,
    programs: PathBuf,
    port: String,
    /// The user that the server runs as, if this process is root: the server refuses to run as
    /// root.
    user: Option<u32>,
}

impl Cluster {
    /// Makes a cluster, and starts its server.
    pub fn start() -> Result<Self, String> {
        let text = |error: std::io::Error| error.to_string();
        let folder = tempfile::tempdir().map_err(text)?;
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).map_err(text)?;
        let user = if id(&["-u"])? == 0 { Some(id(&["-u", "postgres"])?) } else { None };
        chown(folder.path(), user, None).map_err(text)?;
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).map_err(text)?.port();
        let mut cluster = Self { process: None, folder, programs: programs()?, port: port.to_string(), user };
        let data = cluster.folder().join("data");
        let init = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync", "-D"];
        quietly(cluster.server("initdb").args(init).arg(&data))?;
        cluster.run(&data)?;
        Ok(cluster)
    }

    /// Starts the server, and waits until it is ready. The system ends it if this process is
    /// killed.
    fn run(&mut self, data: &Path) -> Result<(), String> {
        let text = |error: std::io::Error| format!("setpriv, of util-linux: {error}");
        let log = std::fs::File::create(self.folder().join("log")).map_err(text)?;
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "INT"]).arg(self.programs.join("postgres")).arg("-D").arg(data);
        command.arg("-k").arg(self.folder()).args(["-p", &self.port]);
        SETTINGS.split_whitespace().for_each(|setting| {
            command.args(["-c", setting]);
        });
        command.current_dir(self.folder()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        if let Some(user) = self.user {
            command.uid(user);
        }
        let process = self.process.insert(command.spawn().map_err(text)?);
        let start = Instant::now();
        loop {
            if let Some(status) = process.try_wait().map_err(text)? {
                let said = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
                return Err(format!("the server ended before it was ready: {status}\n{said}"));
            }
            let mut ready = Command::new(self.programs.join("pg_isready"));
            ready.args(["-q", "-h", "127.0.0.1", "-p", &self.port]);
            if ready.status().is_ok_and(|status| status.success()) {
                return Ok(());
            }
            if start.elapsed() > START {
                return Err(format!("the server is not ready after {START:?}: see its log"));
            }
            sleep(Duration::from_millis(20));
        }
    }

    /// Returns a folder for files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns a program that runs as the server does.
    fn server(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.current_dir(self.folder());
        if let Some(user) = self.user {
            command.uid(user);
        }
        command
    }

    /// Returns a program that connects to the server.
    pub fn client(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.args(["-h", "127.0.0.1", "-U", "postgres", "-p", &self.port]);
        command
    }

    /// Runs SQL in a database.
    pub fn sql(&self, database: &str, statement: &str) -> Result<(), String> {
        quietly(self.client("psql").args(["-q", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", statement]))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let data = self.folder().join("data");
        let Some(mut process) = self.process.take() else { return };
        let stopped = quietly(self.server("pg_ctl").arg("-D").arg(data).args(["-m", "immediate", "stop"]));
        if let Err(error) = stopped {
            eprintln!("the server is killed: {error}");
            let _ = process.kill();
        }
        let _ = process.wait();
    }
}

/// Returns the number of a user.
fn id(arguments: &[&str]) -> Result<u32, String> {
    let output = Command::new("id").args(arguments).output().map_err(|error| format!("id: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().map_err(|_| format!("id {arguments:?} names no user: install postgresql"))
}

/// Returns the folder of Debian's newest PostgreSQL.
fn programs() -> Result<PathBuf, String> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest =
        versions.map(|entry| entry.path().join("bin")).filter(|path| path.join("initdb").exists()).max();
    newest.ok_or_else(|| "there is no PostgreSQL: install postgresql".into())
}
