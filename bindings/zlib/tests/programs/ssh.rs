//! OpenSSH with compression in both directions of one connection: each test starts a server,
//! without a port.

use std::fs;
use std::process::Command;

use crate::data::mixed;
use crate::folder::Folder;
use crate::program::Program;
use crate::{PAIRS, Zlib, common, installed, is_root, skip};

const CONFIG: &str = "HostKey FOLDERhost\nAuthorizedKeysFile FOLDERuser.pub\nStrictModes no\nPermitRootLogin yes\n\
    PasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\nCompression yes\nPidFile none\n";

/// A host key, a user's key and a configuration.
fn prepare(folder: &Folder) {
    for name in ["host", "user"] {
        let mut keygen = Command::new("ssh-keygen");
        keygen.args(["-q", "-t", "ed25519", "-N", "", "-f", &folder.name(name)]);
        assert!(keygen.status().expect("ssh-keygen starts").success(), "ssh-keygen failed");
    }
    folder.write("config", CONFIG.replace("FOLDER", &folder.name("")));
}

/// Returns why a server can't run here, or `None`. As root it needs an empty folder, which a
/// service's start makes.
fn obstacle() -> Option<String> {
    let made = if is_root() { fs::create_dir_all("/run/sshd") } else { Ok(()) };
    made.err().map(|error| format!("/run/sshd can't be made: {error}"))
}

/// Lets the server run `command` on the contents of the file `input`. Returns its answer, and the
/// client's messages.
fn call(zlib: (Zlib, Zlib), folder: &Folder, command: &str) -> (Vec<u8>, String) {
    let (client, server) = zlib;
    let preload = match server {
        Zlib::Ours => format!("LD_PRELOAD={}", common::ours().display()),
        Zlib::System => String::new(),
    };
    // The server closes files that it doesn't know, so only the client has the loader's records.
    let server = format!(
        "env -u LD_PRELOAD -u LD_DEBUG {preload} /usr/sbin/sshd -i -e -f {} 2>{}",
        folder.name("config"),
        folder.name("server.log")
    );
    let ssh =
        Program::new(client, folder, "ssh").args(["-F", "none", "-v", "-C", "-i", &folder.name("user")]);
    let ssh = ssh.args([
        "-o",
        "StrictHostKeyChecking=no",
        "-o",
        "UserKnownHostsFile=/dev/null",
        "-o",
        "BatchMode=yes",
    ]);
    let ssh = ssh.args([
        "-o",
        "IdentitiesOnly=yes",
        "-o",
        "IdentityAgent=none",
        "-o",
        &format!("ProxyCommand={server}"),
    ]);
    let output = ssh.args(["localhost", command]).stdin(folder.join("input")).run("deflate");
    (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Returns the bytes before and after compression, from the client's last messages.
fn compressed(said: &str, direction: &str) -> (usize, usize) {
    let line =
        said.lines().find(|line| line.contains(&format!("compress {direction}: "))).expect("ssh tells");
    let mut numbers = line.split([' ', ',']).filter_map(|word| word.parse().ok());
    (numbers.next().expect("raw data"), numbers.next().expect("compressed"))
}

#[test]
fn data_is_returned_unchanged() {
    let needed = [("/usr/sbin/sshd", "openssh-server"), ("/usr/bin/ssh", "openssh-client")];
    if !installed("ssh", &needed) {
        return;
    }
    if let Some(why) = obstacle() {
        return skip("ssh", &why);
    }
    let folder = Folder::new("ssh");
    prepare(&folder);
    let content = mixed(3_000_000);
    folder.write("input", &content);
    for zlib in PAIRS {
        let (got, said) = call(zlib, &folder, "cat");
        assert!(got == content, "{zlib:?}: {} other bytes\n{said}", got.len());
        for direction in ["outgoing", "incoming"] {
            let (raw, compressed) = compressed(&said, direction);
            assert!(
                raw >= content.len() && compressed < raw * 2 / 3,
                "{zlib:?}: {raw} became {compressed}\n{said}"
            );
        }
        // The shell's parent is the server.
        let (maps, _) = call(zlib, &folder, "cat /proc/$PPID/maps");
        let maps = String::from_utf8_lossy(&maps);
        assert_eq!(maps.contains(common::ours().to_str().expect("UTF-8")), zlib.1 == Zlib::Ours, "{maps}");
    }
}
