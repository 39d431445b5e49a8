use std::collections::HashSet;

use super::*;

fn name(pattern: &str, number: usize) -> String {
    FileNames::new(pattern).expect("a pattern").name(number)
}

#[test]
fn numbers_stand_at_their_label_or_at_the_end() {
    for (pattern, expected) in [("f_{i}", "f_7"), ("f", "f7"), ("{i}_{i}", "7_7"), ("{i}.csv", "7.csv")] {
        assert_eq!(name(pattern, 7), expected);
        assert!(!FileNames::new(pattern).expect("a pattern").are_unique());
    }
}

#[test]
fn identifiers_are_uuids_and_differ() {
    for (label, version) in [("{uuid}", '4'), ("{uuidv4}", '4'), ("{uuidv7}", '7')] {
        assert!(FileNames::new(label).expect("a pattern").are_unique());
        let names: HashSet<String> =
            (0..100).map(|number| name(&format!("{label}_{label}"), number)).collect();
        assert_eq!(names.len(), 100);
        for both in names {
            let (one, other) = both.split_once('_').expect("two");
            assert_ne!(one, other);
            let parts: Vec<&str> = one.split('-').collect();
            assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12], "{one}");
            assert!(one.chars().all(|c| c == '-' || c.is_ascii_hexdigit()), "{one}");
            assert!(parts[2].starts_with(version), "{one}");
            assert!(parts[3].starts_with(['8', '9', 'a', 'b']), "{one}");
        }
    }
    assert_eq!(
        name("{uuid}_{i}", 3).split_once('_').map(|(_, number)| number.to_owned()),
        Some("3".to_owned())
    );
}

#[test]
fn identifiers_of_version_7_begin_with_the_time() {
    let milliseconds = |name: &str| u64::from_str_radix(&name.replace('-', "")[..12], 16).expect("digits");
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as u64;
    let (before, found, after) = (now(), milliseconds(&name("{uuidv7}", 0)), now());
    assert!((before..=after).contains(&found), "{before} {found} {after}");
}

#[test]
fn names_of_no_files_are_refused() {
    for (pattern, part) in [
        ("", "no name"),
        ("a/b_{i}", "without folders"),
        ("..\\x", "without folders"),
        ("a\n", "without folders"),
        ("x*{i}", "is a pattern"),
        ("{x}", "{x} is no label"),
        ("{i}_{UUID}", "{UUID} is no label"),
        ("{i}_{i", "{i is no label"),
        ("_x", "pass over"),
        (".x{i}", "pass over"),
    ] {
        let error = FileNames::new(pattern).expect_err(pattern);
        assert!(error.contains(part) && !error.contains('\n'), "{error}");
    }
}
