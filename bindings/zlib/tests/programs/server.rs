//! Servers, which run until they are told to end.

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Ends with the test, even if that fails or is killed.
pub struct Server {
    child: Child,
    signal: &'static str,
}

impl Server {
    /// Starts `command`, which `signal` ends.
    pub fn start(command: Command, signal: &'static str) -> Self {
        let mut guarded = Command::new("setpriv");
        guarded.args(["--pdeathsig", signal]);
        // A change of the user would clear the signal of an outer setpriv, so there is one only.
        if command.get_program() != "setpriv" {
            guarded.arg(command.get_program());
        }
        guarded.args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => guarded.env(name, value),
                None => guarded.env_remove(name),
            };
        }
        let child = guarded.stdin(Stdio::null()).spawn().expect("setpriv is there: install util-linux");
        Self { child, signal }
    }

    /// Waits until `ready`; panics if the server ends before.
    pub fn wait(&mut self, ready: impl Fn() -> bool) {
        while !ready() {
            let ended = self.child.try_wait().expect("a child can be asked");
            assert!(ended.is_none(), "the server ended before it was ready: {ended:?}");
            sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let id = self.child.id().to_string();
        let told = Command::new("kill").args(["-s", self.signal, &id]).status();
        if !told.is_ok_and(|status| status.success()) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
