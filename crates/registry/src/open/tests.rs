use pelton_codec::Format;
use pelton_job::conformance::corpus::{Shape, compress};
use pelton_job::{Job, OutputSize};

use super::*;

/// Pages of a test.
const PAGES: usize = 8;

/// Opens devices, and decompresses pages on the first of them.
fn decompress(choice: &str) -> Opened {
    const LEN: usize = 50_000;
    let choice: DeviceChoice = choice.parse().expect("a choice");
    let opened = open(1, Some(&choice)).expect("they open");
    let router = opened.router(Limits::default());
    let uncompressed = Shape::Text.bytes(LEN);
    let format = Format::Gzip;
    let compressed = compress(format, format.default_level(), &uncompressed);
    let job = Job::decompress(format, compressed, OutputSize::Exact(LEN));
    for result in router.submit(vec![job; PAGES]).wait() {
        assert_eq!(result.expect("done").output, uncompressed);
    }
    let counts = router.counters().total(choice.wanted()[0].name());
    assert_eq!((counts.done, counts.fell_back_total()), (PAGES as u64, 0), "{counts:?}");
    opened
}

#[test]
fn a_model_runs_jobs_and_reports_its_clock() {
    let opened = decompress("dfltcc-model:cc3-every=1:seed=2");
    let reports: Vec<String> = opened.models.iter().map(Modelled::report).collect();
    assert!(reports[0].starts_with("dfltcc-model modelled: 8 streams"), "{reports:?}");
    assert!(!reports[0].contains(" 0 calls repeated"), "{reports:?}");
    assert!(opened.fallback.is_some(), "the CPU was not named");
}

#[cfg(not(target_arch = "s390x"))]
#[test]
fn an_absent_instruction_has_its_reason() {
    let choice: DeviceChoice = "dfltcc".parse().expect("a choice");
    let why = open(1, Some(&choice)).err().expect("an error").to_string();
    assert!(why.starts_with("there is no device dfltcc: ") && why.contains("another architecture"), "{why}");
    let rows = accelerators(&[]);
    let row = rows.iter().find(|row| row.name == "dfltcc").expect("a row");
    assert!(!row.available && row.detail.contains("another architecture"), "{row:?}");
    // An open one has its row already.
    let open = DeviceReport { available: true, ..row.clone() };
    assert!(accelerators(&[open]).iter().all(|row| row.name != "dfltcc"));
}

#[test]
fn the_model_of_nx_gzip_runs_jobs_and_reports_its_clock() {
    let opened = decompress("nx-model:engines=2");
    let reports: Vec<String> = opened.models.iter().map(Modelled::report).collect();
    assert!(reports[0].starts_with("nx-model modelled: 8 requests"), "{reports:?}");
}

#[test]
fn every_accelerator_has_a_row_with_its_state() {
    let rows = accelerators(&[]);
    let nx = rows.iter().find(|row| row.name == "nx").expect("a row");
    let named =
        open(1, Some(&"nx".parse().expect("a choice"))).map(|_| ()).map_err(|error| error.to_string());
    match (nx.available, named) {
        (true, named) => assert_eq!(named, Ok(())),
        (false, named) => assert_eq!(named, Err(format!("there is no device nx: {}", nx.detail))),
    }
    if !cfg!(target_arch = "powerpc64") {
        assert!(!nx.available && nx.detail.contains("another architecture"), "{nx:?}");
    }
    // Without a choice, a missing accelerator is no error.
    assert!(open(1, None).is_ok());
}
