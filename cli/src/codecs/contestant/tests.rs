use pelton::codec::Format;

use super::{FORMATS, Levels, choose};
use crate::failure::Failure;

fn names(formats: &[Format], levels: &str) -> Vec<String> {
    let levels = levels.parse().expect(levels);
    choose(formats, &levels).expect("some").iter().map(ToString::to_string).collect()
}

#[test]
fn useful_levels_are_levels_and_few() {
    let names = names(&FORMATS, "useful");
    assert!(names.len() < 20, "{names:?}");
    for name in ["deflate 1", "zlib 6", "gzip 9", "lz4", "snappy", "zstd 3", "brotli 5"] {
        assert!(names.iter().any(|other| other == name), "{name} is not in {names:?}");
    }
}

#[test]
fn numbers_apply_where_they_exist() {
    assert_eq!(
        names(&[Format::Gzip, Format::Zstd, Format::Lz4], "12,19"),
        ["gzip 12", "zstd 12", "zstd 19", "lz4"]
    );
    assert_eq!(names(&[Format::Gzip], "all").len(), 13);
}

#[test]
fn no_level_at_all_is_a_fault_of_usage() {
    assert!(matches!(choose(&[Format::Gzip], &Levels::These(vec![22])), Err(Failure::Usage(_))));
    assert!("fast".parse::<Levels>().is_err());
}
