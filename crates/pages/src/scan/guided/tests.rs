use super::*;

const MB: u64 = 1 << 20;

fn shares(groups: &[(u64, u64)], threads: usize, max_bytes: u64) -> Shares {
    let groups = groups.iter().map(|&(bytes, dictionaries)| Group { bytes, dictionaries });
    Shares::of_groups(vec![groups.collect()], threads, max_bytes)
}

#[test]
fn windows_get_smaller_towards_the_end() {
    let mut shares = shares(&[(64 * MB, 0); 5], 2, 32 * MB);
    let sizes: Vec<_> = (0..5).map(|group| shares.next(0, group) / MB).collect();
    assert_eq!(sizes, [32, 32, 32, 32, 16]);
}

#[test]
fn they_have_some_bytes_at_least_and_more_than_their_dictionaries() {
    let mut shares = shares(&[(6 * MB, 0), (6 * MB, MB / 2), (0, 0)], 16, 32 * MB);
    let sizes: Vec<_> = (0..3).map(|group| shares.next(0, group) / MB).collect();
    assert_eq!(sizes, [4, 8, 4]);
    assert_eq!(shares.windows(), 2 + 1);
}

#[test]
fn what_is_not_read_is_not_left() {
    let groups = |bytes| vec![Group { bytes, dictionaries: 0 }];
    let mut shares = Shares::of_groups(vec![groups(64 * MB), groups(32 * MB)], 2, 32 * MB);
    shares.leave_out(0, 0);
    assert_eq!((shares.next(1, 0), shares.windows()), (8 * MB, 8));
}

#[test]
fn the_setting_is_kept_to() {
    let mut shares = shares(&[(64 * MB, 9 * MB)], 1, MB);
    assert_eq!((shares.next(0, 0), shares.windows()), (MB, 64));
}
