//! The README's lines of Python, run as they stand.

use std::process::Command;

use pelton_tests::python::repository;

/// Returns the first block of a language in a text of Markdown.
fn block<'a>(text: &'a str, language: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("```{language}\n")).expect("a block");
    rest.split_once("```").expect("an end").0
}

#[test]
fn the_lines_in_the_readme_run() {
    let Some((interpreter, place)) = super::package() else { return };
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("a README");
    let lines = block(&readme, "python");
    assert_eq!(lines.lines().filter(|line| !line.trim().is_empty()).count(), 5, "five lines:\n{lines}");
    // The file that they read is one that Pelton's own tests would not find surprising.
    let make = "import polars\n\
                rows = {'city': ['Bern', 'Oslo', 'Bern'], 'price': [1.5, 2.5, 3.0]}\n\
                polars.DataFrame(rows).write_parquet('trips.parquet', compression='gzip')\n";
    let check = "\nassert cities.fetchall() == [('Bern', 2.25), ('Oslo', 2.5)], cities\n\
                 assert polars.read_parquet('cities.parquet').rows() == cities.fetchall()\n\
                 assert top.fetchall() == [('Oslo', 2.5), ('Bern', 2.25)], top\n";
    let done = Command::new(interpreter)
        .args(["-c", &format!("{make}{lines}{check}")])
        .current_dir(place.path("."))
        .env("PYTHONPATH", place.path("."))
        .output()
        .expect("Python can be started");
    assert!(done.status.success(), "{lines}\n{}", String::from_utf8_lossy(&done.stderr));
}
