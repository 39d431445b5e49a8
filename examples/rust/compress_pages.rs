//! Compresses pages in one batch on the fastest devices, decompresses them again, and prints the
//! counters of each device.
//!
//! ```text
//! cargo run --release -p pelton-examples --example compress_pages
//! PELTON_DEVICES=iaa-model cargo run --release -p pelton-examples --example compress_pages
//! ```
#![allow(missing_docs)]

use std::error::Error;

use pelton::codec::Format;
use pelton::job::{Batch, Job, Limits, OutputSize};
use pelton_registry::{DEVICES_VARIABLE, DeviceChoice};

const PAGES: usize = 64;
const PAGE_BYTES: usize = 64 << 10;

fn main() -> Result<(), Box<dyn Error>> {
    // The devices that the variable names; all devices of the machine without it.
    let choice = match std::env::var(DEVICES_VARIABLE) {
        Ok(text) => Some(text.parse::<DeviceChoice>()?),
        Err(_) => None,
    };
    let opened = pelton_registry::open(2, choice.as_ref())?;
    let router = opened.router(Limits::default());

    // A batch has one ticket, and its results come in the order of its jobs.
    let pages: Vec<Vec<u8>> = (0..PAGES).map(page).collect();
    let format = Format::Gzip;
    let mut batch = Batch::with_capacity(pages.len());
    for page in &pages {
        batch.push(Job::compress(format, format.default_level(), page.clone()));
    }
    let compressed = router.submit(batch).wait();

    // The size of each output is known here. Where it is not, `OutputSize::AtMost` is a limit.
    let mut batch = Batch::with_capacity(pages.len());
    let mut compressed_bytes = 0;
    for (result, page) in compressed.into_iter().zip(&pages) {
        let output = result?.output;
        compressed_bytes += output.len();
        batch.push(Job::decompress(format, output, OutputSize::Exact(page.len())));
    }
    let mut ticket = router.submit(batch);
    let mut equal = 0;
    // Results in the order in which devices finish them would be `poll_next`'s, for async callers.
    for page in &pages {
        let result = ticket.wait_next().ok_or("a batch has a result for each job")??;
        equal += usize::from(result.output == page[..]);
    }
    println!("{equal} of {PAGES} pages came back equal, from {compressed_bytes} compressed bytes");
    println!("{}", router.counters());
    Ok(())
}

/// Returns a page of numbers as text, which compresses about as well as a column of keys.
fn page(number: usize) -> Vec<u8> {
    let mut text = String::new();
    for row in 0.. {
        text += &format!("{:09}\n", (number * 6007 + row * row) % 100_000);
        if text.len() >= PAGE_BYTES {
            break;
        }
    }
    text.into_bytes()
}
