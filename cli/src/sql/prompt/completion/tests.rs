use std::fs;

use super::*;

fn assistant() -> Assistant {
    let engine = Engine::builder().threads(1).build().expect("an engine");
    engine.sql("CREATE TABLE trips AS SELECT 1 AS vendor, 2 AS \"Total\"").expect("a table");
    Assistant::new(Rc::new(engine))
}

fn found(assistant: &Assistant, text: &str) -> Vec<String> {
    let (start, pairs) = assistant.complete(text);
    assert!(text.is_char_boundary(start), "{text}");
    pairs.into_iter().map(|pair| pair.replacement).collect()
}

#[test]
fn names_are_completed_where_they_belong() {
    let assistant = assistant();
    for (text, expected) in [
        ("SELECT * FROM tr", vec!["trips"]),
        ("SELECT ven", vec!["vendor"]),
        ("SELECT 'é', ven", vec!["vendor"]),
        ("SELECT \"To", vec!["\"Total\""]),
        ("SET thr", vec!["threads"]),
        ("SHOW any", vec!["any_order"]),
        (".mo", vec![".mode"]),
        (".mode mark", vec!["markdown"]),
        (".timer of", vec!["off"]),
        (".schema tr", vec!["trips"]),
        (".help onc", vec!["once"]),
        ("SELECT 1 qual", vec!["qualify"]),
        ("SELECT 1 QUAL", vec!["QUALIFY"]),
        (".quit x", vec![]),
    ] {
        assert_eq!(found(&assistant, text), expected, "{text}");
    }
    let functions = found(&assistant, "SELECT date_tru");
    assert!(functions.contains(&"date_trunc".to_owned()), "{functions:?}");
}

#[test]
fn files_are_completed_in_quotes_and_behind_commands() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("data")).expect("a folder");
    fs::write(folder.path().join("data.csv"), "a\n1\n").expect("a file");
    fs::write(folder.path().join(".hidden"), "").expect("a file");
    let (assistant, folder) = (assistant(), folder.path().display().to_string());
    assert_eq!(found(&assistant, &format!("SELECT * FROM '{folder}/da")), ["data.csv'", "data/"]);
    assert_eq!(found(&assistant, &format!(".read {folder}/")), ["data.csv", "data/"]);
    assert_eq!(found(&assistant, &format!(".output {folder}/none")), Vec::<String>::new());
}
