use super::SETTINGS;

/// Returns the cells of the rows of a page's tables whose first cell is code.
fn rows(page: &str) -> Vec<Vec<String>> {
    let path = format!("{}/../../docs/{page}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let lines = text.lines().filter(|line| line.starts_with("| `"));
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    lines.map(cells).collect()
}

#[test]
fn the_document_has_the_table() {
    let expected = SETTINGS.iter().map(|definition| {
        let name = format!("`{}`", definition.name);
        vec![name, definition.kind.name().into(), definition.default.into(), definition.description.into()]
    });
    assert_eq!(rows("sql/settings.md"), expected.collect::<Vec<_>>());
}

#[test]
fn the_document_of_the_extension_names_its_settings() {
    let documented = rows("duckdb.md");
    for duckdb in SETTINGS.iter().filter_map(|definition| definition.duckdb.as_ref()) {
        let name = format!("`{}`", duckdb.name);
        let row = documented.iter().find(|row| row[0] == name);
        let row = row.unwrap_or_else(|| panic!("{name} is in no table"));
        assert_eq!(row[1].trim_matches(['`', '\'']), duckdb.default, "{name}");
    }
}

#[test]
fn connect_in_python_has_its_arguments() {
    let path = format!("{}/../../bindings/python/python/pelton/_pelton.pyi", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let (_, rest) = text.split_once("\ndef connect(").expect("connect");
    let (arguments, _) = rest.split_once(')').expect("its arguments");
    let name = |argument: &str| argument.split_once(':').map(|(name, _)| name.trim().to_owned());
    let mut found: Vec<String> = arguments.split(',').filter_map(name).collect();
    found.sort();
    let expected =
        SETTINGS.iter().filter(|definition| definition.in_python).map(|definition| definition.name);
    assert_eq!(found, expected.collect::<Vec<_>>());
}
