//! The driver's own instructions, emulated: a window over a file, whose pastes reach the model.
//! `make test-cross` runs it.
#![cfg(all(target_os = "linux", target_arch = "powerpc64"))]

use std::sync::Arc;

use pelton_codec::{Format, Level};
use pelton_device_model::nx::{Config, Model};
use pelton_device_nx::hw::Crb;
use pelton_device_nx::sys::HardwareWindow;
use pelton_device_nx::{Credits, Limits, NxDevice, Opener, Options, Pasted, Window};
use pelton_emulation::emulate_copy_paste;
use pelton_job::conformance::Reference;
use pelton_job::conformance::corpus::page;
use pelton_job::{Job, OutputSize, Router};

const LEN: usize = 100_000;
/// Bytes of a page of POWER.
const PAGE: u64 = 64 << 10;

/// Offset within a page of the address that Linux documents for pastes.
const PASTE: usize = 0x400;

#[test]
fn copy_and_paste_carry_requests_to_the_engine() {
    let model = Model::new(Config::default());
    let window = model.open(0, Credits::Shared).expect("a window");
    let emulated = emulate_copy_paste(move |block, address| {
        assert_eq!(address % 4096, PASTE);
        // SAFETY: the driver keeps the promise of its own window, and the model's has the same.
        unsafe { window.paste(&Crb::from_bytes(*block)) == Pasted::Accepted }
    });
    let opener: Opener = Arc::new(|_| {
        let file = tempfile::tempfile()?;
        file.set_len(PAGE)?;
        let window = HardwareWindow::map(file, Limits { credits: 16, max_bytes: None })?;
        Ok(Arc::new(window) as Arc<dyn Window>)
    });
    let device = NxDevice::open(opener, Options::default()).expect("a window");
    let router = Router::builder().device(device.clone()).device(Arc::new(Reference)).build();
    let uncompressed = page(LEN);
    for format in [Format::Deflate, Format::Zlib, Format::Gzip] {
        for level in [1, 3, 6] {
            let level = Level::new(format, level).expect("a level");
            let block = router.submit(Job::compress(format, level, uncompressed.clone())).wait().remove(0);
            let block = block.expect("compressed").output;
            let job = Job::decompress(format, block, OutputSize::Exact(LEN));
            let back = router.submit(job).wait().remove(0).expect("decompressed");
            assert!(back.output == uncompressed, "{format}");
        }
    }
    let counts = router.counters().total("nx");
    assert_eq!((counts.done, counts.fell_back_total()), (18, 0), "{counts:?}");
    let requests = device.counters().requests;
    assert_eq!((requests, emulated.count()), (model.counters().accepted, requests + device.counters().busy));
}
