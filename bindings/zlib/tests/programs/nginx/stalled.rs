//! Clients that stop reading. nginx ends their requests without ending the streams: it frees the
//! memory that it gave, so a library must not use other memory for them.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::thread::sleep;
use std::time::Duration;

use super::{log, serve};
use crate::data::mixed;
use crate::folder::Folder;
use crate::{Zlib, installed};

/// Clients at a time. A round that leaks costs the memory of their streams.
const CLIENTS: usize = 60;
/// Rounds until malloc keeps the memory that nginx frees; it returns large pieces only at first.
const FIRST: usize = 2;
/// Rounds that are measured.
const MORE: usize = 3;
/// Kilobytes: less than the leak in those rounds if a stream leaked as much as zlib needs (48 MB).
const MOST: usize = 24 << 10;

/// Lets clients ask for more than their sockets hold, and waits until nginx gives up on them.
fn stall(folder: &Folder, round: usize) {
    let clients: Vec<_> = (0..CLIENTS).map(|_| ask(folder)).collect();
    while log(folder).matches("client timed out").count() < (round + 1) * CLIENTS {
        sleep(Duration::from_millis(50));
    }
    drop(clients);
}

/// A client that has read the beginning of its response.
fn ask(folder: &Folder) -> UnixStream {
    let mut client = UnixStream::connect(folder.join("socket")).expect("nginx listens");
    let request = "GET /level6/mixed.txt HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n";
    client.write_all(request.as_bytes()).expect("nginx reads");
    client.read_exact(&mut [0; 8]).expect("nginx answers");
    client
}

/// Returns the kilobytes of the worker.
fn memory(folder: &Folder) -> usize {
    let log = log(folder);
    let worker = log.lines().find_map(|line| line.split_once("start worker process ")).expect("a worker").1;
    let status = std::fs::read_to_string(format!("/proc/{worker}/status")).expect("the worker runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("how much it has");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn streams_that_never_end_cost_nothing() {
    if !installed("nginx", &[("/usr/sbin/nginx", "nginx")]) {
        return;
    }
    let folder = Folder::short("nginx");
    folder.folder("files");
    folder.write("files/mixed.txt", mixed(3_000_000));
    let running = serve(Zlib::Ours, &folder);
    (0..FIRST).for_each(|round| stall(&folder, round));
    let before = memory(&folder);
    (FIRST..FIRST + MORE).for_each(|round| stall(&folder, round));
    let after = memory(&folder);
    assert!(
        after < before + MOST,
        "nginx had {before} KB, and has {after} KB after {} clients",
        MORE * CLIENTS
    );
    drop(running);
}
