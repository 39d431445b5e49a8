use super::sets::Set;

/// Returns sets by the columns that they leave out, written as `x`.
fn sets(texts: &[&str]) -> Option<Vec<Set>> {
    let groups = texts.iter().map(|text| text.chars().map(|letter| letter == 'x').collect());
    Set::all(&groups.collect::<Vec<Vec<bool>>>())
}

fn sources(sets: &[Set]) -> Vec<Option<usize>> {
    sets.iter().map(|set| set.from).collect()
}

#[test]
fn a_roll_up_is_a_chain() {
    let found = sets(&["xxx", "-xx", "--x", "---"]).expect("sets");
    let ids: Vec<_> = found.iter().map(|set| set.ids.clone()).collect();
    assert_eq!(ids, [vec![0], vec![1], vec![3], vec![7]]);
    assert_eq!(sources(&found), [None, Some(0), Some(1), Some(2)]);
}

#[test]
fn each_set_of_a_cube_comes_of_one_with_a_column_more() {
    let found = sets(&["---", "--x", "-x-", "-xx", "x--", "x-x", "xx-", "xxx"]).expect("sets");
    for set in &found[1..] {
        let from = &found[set.from.expect("a finer set")];
        assert_eq!(from.columns().count(), set.columns().count() + 1);
        assert!(set.columns().all(|column| from.columns().any(|other| other == column)));
    }
}

#[test]
fn a_repeated_set_has_several_ids() {
    let found = sets(&["-x", "--", "-x", "-x"]).expect("sets");
    assert_eq!(found.len(), 2);
    assert_eq!(found[1].ids, [0b001, 0b101, 0b1001]);
}

#[test]
fn sets_without_a_finest_one_are_left() {
    assert_eq!(sets(&["-x", "x-", "xx"]), None);
    assert_eq!(sets(&["--"]), None);
    assert_eq!(sets(&["--", "--"]), None);
    assert_eq!(sets(&["", ""]), None);
    let wide = "-".repeat(33);
    assert_eq!(sets(&[&wide, &"x".repeat(33)]), None);
}
