use super::*;

#[test]
fn both_spellings_are_known() {
    for (line, meta) in [
        (".tables", Meta::Tables),
        ("\\d", Meta::Tables),
        ("  \\d  trips ; ", Meta::Describe("trips".into())),
        (".schema 'a b.parquet'", Meta::Describe("'a b.parquet'".into())),
        (".settings", Meta::Settings),
        (".mode", Meta::Mode(None)),
        (".mode NDJSON", Meta::Mode(Some(Format::Ndjson))),
        (".mode md", Meta::Mode(Some(Format::Markdown))),
        (".maxrows 7", Meta::MaxRows(7)),
        (".output", Meta::Output(None)),
        ("\\o 'a b.csv'", Meta::Output(Some("a b.csv".into()))),
        (".once x.parquet", Meta::Once("x.parquet".into())),
        (".read x.sql", Meta::Read("x.sql".into())),
        (".import 'a b.csv' t", Meta::Import("a b.csv".into(), "t".into())),
        (".timer", Meta::Timer(None)),
        (".timer off", Meta::Timer(Some(false))),
        (".pager off", Meta::Pager(None)),
        (".pager less -S", Meta::Pager(Some("less -S".into()))),
        (".help", Meta::Help(None)),
        ("\\q", Meta::Quit),
        (".exit", Meta::Quit),
    ] {
        assert!(Meta::is_meta(line));
        assert_eq!(Meta::parse(line), Ok(meta), "{line}");
    }
}

#[test]
fn mistakes_are_told_with_the_nearest_name_or_the_usage() {
    for (line, part) in [
        (".tabels", "did you mean .tables?"),
        (".xyzzy", ".help lists the commands"),
        (".timer maybe", "write .timer or \\timing [on|off]"),
        (".schema", "write .schema or \\d T"),
        (".quit now", "write .quit"),
        (".mode jsn", "did you mean json?"),
        (".mode html", "there are table, csv"),
        (".maxrows many", "write .maxrows N"),
        (".import x.csv", "write .import FILE TABLE"),
        (".read", "write .read"),
        (".help tmer", "did you mean"),
    ] {
        let error = format!("{:?}", Meta::parse(line).expect_err(line));
        assert!(error.contains(&part.replace('\\', "\\\\")), "{line}: {error}");
    }
}

#[test]
fn each_command_has_help_and_parses_as_its_usage_says() {
    let help = Meta::help();
    for command in &COMMANDS {
        assert!(help.contains(command.names[0]) && help.contains(command.help), "{}", command.names[0]);
        let more = Meta::parse(&format!(".help {}", command.names[0].trim_start_matches('.')));
        assert_eq!(more, Ok(Meta::Help(Some(command))));
    }
    for mode in modes() {
        assert!(help.contains(&mode), "{mode}");
    }
}

#[test]
fn sql_is_not_meta() {
    assert!(!Meta::is_meta("SELECT .5"));
    assert!(!Meta::is_meta(".5 + 1"));
    assert!(!Meta::is_meta(""));
}
