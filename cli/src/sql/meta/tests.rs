use super::Meta;

#[test]
fn both_spellings_are_known() {
    for (line, meta) in [
        (".tables", Meta::Tables),
        ("\\d", Meta::Tables),
        ("  \\d  trips ; ", Meta::Describe("trips".into())),
        (".schema 'a b.parquet'", Meta::Describe("'a b.parquet'".into())),
        (".timer", Meta::Timer(None)),
        (".timer off", Meta::Timer(Some(false))),
        (".help", Meta::Help),
        ("\\q", Meta::Quit),
        (".exit", Meta::Quit),
    ] {
        assert!(Meta::is_meta(line));
        assert_eq!(Meta::parse(line), Ok(meta), "{line}");
    }
}

#[test]
fn what_is_not_there_is_an_error_that_names_help() {
    for line in [".tabels", ".timer maybe", ".schema", ".quit now"] {
        let error = format!("{:?}", Meta::parse(line));
        assert!(error.contains(".help"), "{line}: {error}");
    }
}

#[test]
fn sql_is_not_meta() {
    assert!(!Meta::is_meta("SELECT .5"));
    assert!(!Meta::is_meta(""));
}
