//! A PostgreSQL server with its own data, on a socket of its own.

use std::fs::File;
use std::os::unix::fs::chown;
use std::process::{Command, Stdio};

use crate::folder::Folder;
use crate::program::Program;
use crate::server::Server;
use crate::{Zlib, is_root};

const PROGRAMS: &str = "/usr/lib/postgresql/15/bin";
/// PostgreSQL doesn't run as root. Debian has this user and group for processes without files.
const NOBODY: u32 = 65534;

pub struct Cluster {
    // Stopped before its folder is removed.
    _server: Server,
    folder: Folder,
}

impl Cluster {
    /// Starts a new cluster. An unprivileged user can reach its folder, which may not be so below
    /// cargo's.
    pub fn start() -> Self {
        let folder = Folder::short("pg");
        if is_root() {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).expect("root may give a folder away");
        }
        let data = folder.name("data");
        let mut init = unprivileged("initdb");
        init.args(["-D", &data, "-U", "pelton", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]);
        let made = init.current_dir(folder.path()).output().expect("initdb starts");
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));

        let mut run = unprivileged("postgres");
        run.args(["-D", &data, "-k", &folder.name(""), "-c", "listen_addresses="]);
        run.args(["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "log_min_messages=panic"]);
        let mut server = Server::start(run, "INT");
        server.wait(|| {
            let mut ready = Command::new(format!("{PROGRAMS}/pg_isready"));
            ready
                .args(["-q", "-h", &folder.name(""), "-U", "pelton", "-d", "postgres"])
                .status()
                .is_ok_and(|status| status.success())
        });
        Self { _server: server, folder }
    }

    /// Returns one of PostgreSQL's programs.
    pub fn program(&self, name: &str) -> String {
        format!("{PROGRAMS}/{name}")
    }

    /// Options by which a program finds a database of this cluster.
    pub fn connection(&self, database: &str) -> [String; 6] {
        ["-h".into(), self.folder.name(""), "-U".into(), "pelton".into(), "-d".into(), database.into()]
    }

    /// Runs SQL. Returns the answer.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        let psql = Program::new(Zlib::System, &self.folder, self.program("psql"));
        let psql = psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql]);
        let (output, _) = psql.args(self.connection(database)).finish();
        String::from_utf8(output.stdout).expect("psql writes UTF-8")
    }

    /// Runs a file of SQL.
    pub fn script(&self, database: &str, file: &File) {
        let mut psql = Command::new(self.program("psql"));
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1"]).args(self.connection(database));
        psql.stdin(file.try_clone().expect("a file can be read twice")).stdout(Stdio::null());
        assert!(psql.status().expect("psql starts").success(), "psql could not run the dump");
    }
}

/// Returns one of the server's programs, not as root.
fn unprivileged(name: &str) -> Command {
    let program = format!("{PROGRAMS}/{name}");
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args([&format!("--reuid={NOBODY}"), &format!("--regid={NOBODY}"), "--clear-groups"]).arg(program);
    command
}
