//! nginx that compresses and decompresses its files, and curl that requests them.

mod stalled;

use std::fs;
use std::os::unix::net::UnixStream;

use crate::data::{mixed, text};
use crate::folder::Folder;
use crate::program::Program;
use crate::server::Server;
use crate::{BOTH, PAIRS, Zlib, installed, is_root};

/// A way to serve a file: the folder of the configuration, and whether the response is compressed.
const WAYS: [(&str, bool); 5] =
    [("level1", true), ("level6", true), ("level9", true), ("flushed", true), ("stored", false)];

/// nginx on a socket in `folder`, serving the folder `files` below it.
fn serve(zlib: Zlib, folder: &Folder) -> Server {
    let socket = folder.name("socket");
    // Its workers have to read our folder. Only root has to say so.
    let user = if is_root() { "user root;" } else { "" };
    let config = include_str!("nginx.conf")
        .replace("USER", user)
        .replace("FOLDER", &folder.name(""))
        .replace("SOCKET", &socket);
    let config = folder.write("nginx.conf", config);
    let nginx = Program::new(zlib, folder, "/usr/sbin/nginx").args(["-p", &folder.name(""), "-e", "stderr"]);
    let (mut server, evidence) = nginx.arg("-c").arg(config).start("TERM");
    server.wait(|| UnixStream::connect(&socket).is_ok());
    evidence.assert("deflate");
    evidence.assert("inflate");
    server
}

/// Returns nginx's log so far.
fn log(folder: &Folder) -> String {
    String::from_utf8(folder.read("errors")).expect("nginx writes UTF-8")
}

/// Returns curl's output, and the number of bytes transferred.
fn fetch(zlib: Zlib, folder: &Folder, path: &str, compressed: bool) -> (Vec<u8>, usize) {
    let curl =
        Program::new(zlib, folder, "curl").args(["-q", "-sSf", "--unix-socket", &folder.name("socket")]);
    let curl = curl.args(["-o", &folder.name("got"), "-w", "%{size_download}"]);
    let curl = curl.args(compressed.then_some("--compressed"));
    let output = curl.arg(format!("http://localhost/{path}")).run("inflate");
    let size = String::from_utf8_lossy(&output.stdout).parse().expect("curl writes a number");
    (folder.read("got"), size)
}

#[test]
fn responses_arrive() {
    if !installed("nginx", &[("/usr/sbin/nginx", "nginx"), ("/usr/bin/curl", "curl")]) {
        return;
    }
    // For a short response, nginx asks for a small window and little memory.
    let samples = [
        ("small.txt", text(300)),
        ("short.txt", text(1000)),
        ("middle.txt", text(5000)),
        ("long.txt", text(12_000)),
        ("large.txt", text(2_000_000)),
        ("mixed.txt", mixed(1_500_000)),
    ];
    for server in BOTH {
        let folder = Folder::short("nginx");
        folder.folder("files");
        for (name, content) in &samples {
            folder.write(&format!("files/{name}"), content);
        }
        let running = serve(server, &folder);
        for (_, client) in PAIRS.iter().filter(|pair| pair.0 == server) {
            for (name, content) in &samples {
                for (way, compressed) in WAYS {
                    let (got, wire) = fetch(*client, &folder, &format!("{way}/{name}"), compressed);
                    assert!(got == *content, "{way}/{name} from {server:?} by {client:?} differs");
                    assert_eq!(
                        wire < content.len(),
                        compressed,
                        "{way}/{name}: {wire} of {} bytes",
                        content.len()
                    );
                }
            }
        }
        for (name, content) in &samples {
            unzipped(server, &folder, name, content);
        }
        drop(running);
        complaints(&folder);
    }
}

/// nginx decompresses a compressed file for a client that can't.
fn unzipped(server: Zlib, folder: &Folder, name: &str, content: &[u8]) {
    let other = if server == Zlib::Ours { Zlib::System } else { Zlib::Ours };
    let compress = "import gzip, sys; gzip.open(sys.argv[2], 'wb').write(open(sys.argv[1], 'rb').read())";
    let (from, to) = (folder.name(&format!("files/{name}")), folder.name(&format!("files/{name}.gz")));
    Program::new(other, folder, "python3").args(["-c", compress, &from, &to]).run("deflate");
    fs::rename(&from, folder.name("files/aside")).expect("a file can be renamed");
    let (got, _) = fetch(other, folder, &format!("unzipped/{name}"), false);
    assert!(got == content, "unzipped/{name} from {server:?} differs");
}

/// Every alert in nginx's log fails the test, also that a library needs more memory than nginx has
/// reserved for a stream.
fn complaints(folder: &Folder) {
    let log = log(folder);
    let serious: Vec<_> =
        log.lines().filter(|line| !line.contains("[notice]") && !line.contains("[info]")).collect();
    assert!(serious.is_empty(), "{serious:#?}");
}
