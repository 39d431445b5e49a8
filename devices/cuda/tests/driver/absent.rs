//! No driver, an old one, no device, no NVRTC: one line that names the cause and the remedy.

use pelton_device_cuda::{CudaOptions, Error, Gpu, Nvrtc};

use crate::fake;

fn open() -> Result<Gpu, Error> {
    Gpu::cuda(CudaOptions::default())
}

#[track_caller]
fn assert_says(result: Result<Gpu, Error>, parts: &[&str]) {
    let error = result.expect_err("it must not open");
    let text = error.to_string();
    assert!(!text.contains('\n'), "{text}");
    for part in parts {
        assert!(text.contains(part), "no \"{part}\" in: {text}");
    }
}

#[test]
fn no_driver() {
    match open() {
        Err(Error::NoDriver { why }) => {
            assert_says(
                Err(Error::NoDriver { why }),
                &["libcuda.so.1 is not there", "install NVIDIA's driver"],
            );
        }
        other => println!("this machine has a driver, so its absence can't be seen: {other:?}"),
    }
}

#[test]
fn an_old_driver() {
    if fake::calls("absent::an_old_driver", &[], &[("FAKE_VERSION", "11080")]).is_some() {
        return;
    }
    assert_says(open(), &["version 11.8", "12.0 is needed", "install a newer NVIDIA driver"]);
}

#[test]
fn a_driver_without_a_function() {
    if fake::calls("absent::a_driver_without_a_function", &["-DWITHOUT_LAUNCH"], &[]).is_some() {
        return;
    }
    assert_says(open(), &["it has no cuLaunchKernel"]);
}

#[test]
fn a_driver_older_than_the_compiler() {
    if fake::calls("absent::a_driver_older_than_the_compiler", &[], &[("FAKE_VERSION", "12040")]).is_some() {
        return;
    }
    assert_says(open(), &["version 12.4", "13.0 is needed", "NVRTC of version 12", "PELTON_NVRTC"]);
}

#[test]
fn no_device() {
    if fake::calls("absent::no_device", &[], &[("FAKE_DEVICES", "0")]).is_some() {
        return;
    }
    assert_says(open(), &["no GPU", "nvidia-smi"]);
}

#[test]
fn a_device_that_is_not_there() {
    if let Some(calls) = fake::calls("absent::a_device_that_is_not_there", &[], &[]) {
        fake::assert_balanced(&calls);
        return;
    }
    assert_says(
        Gpu::cuda(CudaOptions { ordinal: 3, ..CudaOptions::default() }),
        &["device 3 was asked for, and there are 1"],
    );
}

#[test]
fn an_old_device() {
    if let Some(calls) = fake::calls("absent::an_old_device", &[], &[("FAKE_MAJOR", "7")]) {
        fake::assert_balanced(&calls);
        return;
    }
    assert_says(open(), &["Fake GPU cannot be used", "compute capability 7.0"]);
}

#[test]
fn no_nvrtc() {
    if let Some(calls) = fake::calls("absent::no_nvrtc", &[], &[("PELTON_NVRTC", "/absent/libnvrtc.so")]) {
        fake::assert_balanced(&calls);
        return;
    }
    assert_says(open(), &["cannot load NVRTC", "/absent/libnvrtc.so", "pip install"]);
    assert!(matches!(Nvrtc::load(), Err(Error::NoNvrtc { .. })));
}
