use pelton_codec::IsaLevel;

use super::{Counters, Operation, Path, Reason, table};
use crate::settings::Settings;

#[test]
fn every_name_has_its_place() {
    assert!(Operation::ALL.iter().enumerate().all(|(index, &operation)| operation as usize == index));
    assert!(Path::ALL.iter().enumerate().all(|(index, &path)| path as usize == index));
    assert!(Reason::ALL.iter().enumerate().all(|(index, &reason)| reason as usize == index));
}

#[test]
fn the_table_shows_the_counters() {
    let counters = Counters::new();
    let mut settings = Settings { instructions: IsaLevel::Portable, ..Settings::default() };
    assert_eq!(table::text(&counters, &settings, "p"), "");
    counters.record(Operation::DeflateStream, Path::CpuBlocks, 1_000_000, 250_000, 2_000_000);
    counters.record(Operation::DeflateStream, Path::CpuBlocks, 500_000, 125_000, 1_000_000);
    counters.record(Operation::InflateOneShot, Path::ZlibRs, 10, 40, 0);
    counters.reasons[Reason::NoInstructions as usize].fetch_add(3, super::Ordering::Relaxed);
    let expected = "\
pelton zlib: p; instructions portable, threads 1, reproducible 0, accelerate 1
  operation         path           calls  bytes in  bytes out     ms   MB/s
  deflate stream    cpu blocks         2   1500000     375000  3.000    500
  inflate one-shot  plain zlib-rs      1        10         40  0.000  40000
  streams given to plain zlib-rs  times
  instructions that are lacking       3
";
    let text = table::text(&counters, &settings, "p");
    assert_eq!(text, expected);
    // The table names the ISA level in use, not the highest allowed one.
    settings.instructions = IsaLevel::Avx512;
    let fastest = IsaLevel::available().last().expect("every processor can run some").name();
    let text = table::text(&counters, &settings, "p");
    assert!(text.starts_with(&format!("pelton zlib: p; instructions {fastest}, ")), "{text}");
    counters.clear();
    assert_eq!(table::text(&counters, &settings, "p"), "");
}
