//! The Python programs in `examples/python`, run on the package.

use std::process::Command;

use pelton_tests::python::repository;

/// Runs a program, and returns the text that it prints.
fn run(program: &str) -> Option<String> {
    let (interpreter, place) = super::package()?;
    let done = Command::new(interpreter)
        .arg(repository().join("examples/python").join(program))
        .current_dir(place.path("."))
        .env("PYTHONPATH", place.path("."))
        .output()
        .expect("Python can be started");
    assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
    Some(String::from_utf8(done.stdout).expect("programs print UTF-8"))
}

#[test]
fn query_files_reads_one_year_and_then_all() {
    let Some(output) = run("query_files.py") else { return };
    assert!(output.contains("2025") && !output.contains("2024 "), "{output}");
    assert!(output.ends_with("4049 rows in all files\n"), "{output}");
}

#[test]
fn join_dataframes_sums_by_city() {
    let Some(output) = run("join_dataframes.py") else { return };
    assert!(output.starts_with("Bern: 4.5\nOslo: 2.5\nRome: 6.0\n"), "{output}");
}

#[test]
fn database_interface_has_parameters_and_rows() {
    let Some(output) = run("database_interface.py") else { return };
    assert!(output.starts_with("3 trips\nBern: 4.50\nOslo: 2.50\n(Decimal('3.00'),)\n"), "{output}");
    assert!(output.contains("did you mean trips?"), "{output}");
}

#[test]
fn compress_batches_reads_its_file_and_reports_damage() {
    let Some(output) = run("compress_batches.py") else { return };
    assert!(output.contains("\n819200 lines in pages.gz\n"), "{output}");
    assert!(output.contains("items[1]"), "{output}");
}
