//! Temporary PostgreSQL server on loopback; it is removed with its data.

use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::libraries::quietly;

/// Settings for fast loading without durability, since the data can be made again.
const SETTINGS: &str = "listen_addresses=127.0.0.1 fsync=off full_page_writes=off wal_level=minimal max_wal_senders=0 \
                        shared_buffers=512MB max_wal_size=4GB autovacuum=off";

/// A server that runs.
pub struct Cluster {
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
        let cluster = Self { folder, programs: programs()?, port: port.to_string(), user };
        let data = cluster.folder().join("data");
        let init = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync", "-D"];
        quietly(cluster.server("initdb").args(init).arg(&data))?;
        let settings = SETTINGS.split_whitespace().map(|setting| format!("-c {setting} "));
        let settings =
            format!("{} -p {port} -k {}", settings.collect::<String>(), cluster.folder().display());
        let log = cluster.folder().join("log");
        quietly(
            cluster
                .server("pg_ctl")
                .arg("-D")
                .arg(data)
                .arg("-l")
                .arg(log)
                .args(["-w", "-o", &settings, "start"]),
        )?;
        Ok(cluster)
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
        if let Err(error) =
            quietly(self.server("pg_ctl").arg("-D").arg(data).args(["-m", "immediate", "stop"]))
        {
            eprintln!("the server may still run: {error}");
        }
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
