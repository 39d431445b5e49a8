//! The key of a source.

use super::*;

#[test]
fn every_part_changes_the_key() {
    let source = Source { name: "a.cu".into(), text: "b".into(), headers: vec![("c", "d")] };
    let key = Key::new(&source, source_headers(), &["g++ 12"]);
    assert_eq!(key, Key::new(&source.clone(), source_headers(), &["g++ 12"]));
    let mut others = vec![
        Key::new(&source, source_headers(), &["g++ 13"]),
        Key::new(&source, source_headers(), &["g++", " 12"]),
        Key::new(&source, &[], &["g++ 12"]),
    ];
    for change in [
        |s: &mut Source| s.name.push('x'),
        |s: &mut Source| s.text.push('x'),
        |s: &mut Source| s.headers[0].0 = "x",
        |s: &mut Source| s.headers[0].1 = "x",
        |s: &mut Source| s.headers.clear(),
    ] {
        let mut changed = source.clone();
        change(&mut changed);
        others.push(Key::new(&changed, source_headers(), &["g++ 12"]));
    }
    assert!(others.iter().all(|other| *other != key));
    assert_eq!(key.to_string().len(), 32);
}
