use super::*;

const ROOM: usize = 8 * (1000 + ENTRY_BYTES);

fn page(number: u8) -> Bytes {
    Bytes::from(vec![number; 1000])
}

#[test]
fn a_page_is_found_for_its_file_row_group_and_column() {
    let dictionaries = Dictionaries::new(ROOM);
    let (one, other) = (Arc::new(1), Arc::new(1));
    let cache = |file: &Arc<i32>, row_group, leaf| CacheHandle::new(&dictionaries, file, row_group, leaf);
    assert_eq!(cache(&one, 2, 3).find(), None);
    cache(&one, 2, 3).insert(&page(7));
    assert_eq!(cache(&one, 2, 3).find(), Some(page(7)));
    let others = [cache(&other, 2, 3), cache(&one, 1, 3), cache(&one, 2, 2)];
    assert!(others.iter().all(|cache| cache.find().is_none()));
}

/// The address of a closed file may be reused by another, which must not get its dictionaries.
#[test]
fn a_file_opened_anew_has_none() {
    let dictionaries = Dictionaries::new(ROOM);
    for number in 0..100u8 {
        let file = Arc::new(number);
        let cache = CacheHandle::new(&dictionaries, &file, 0, 0);
        assert_eq!(cache.find(), None);
        cache.insert(&page(number));
    }
}

#[test]
fn what_is_in_use_stays_and_what_is_not_makes_room() {
    let (dictionaries, file) = (Dictionaries::new(ROOM), Arc::new(0));
    let cache = |leaf| CacheHandle::new(&dictionaries, &file, 0, leaf);
    (0..20).for_each(|leaf| cache(leaf).insert(&page(leaf as u8)));
    let found = |leaf: usize| cache(leaf).find() == Some(page(leaf as u8));
    // the cache takes pages up to its capacity and keeps them while they are in use
    assert!((0..8).all(found) && !(8..20).any(found));
    for _ in 0..=UNUSED_FOR {
        assert!(found(0));
    }
    cache(20).insert(&page(20));
    assert!(found(20) && found(0) && !(1..20).any(found));
    // a page larger than the limit for one page
    cache(21).insert(&Bytes::from(vec![0; ROOM / 2]));
    assert_eq!(cache(21).find(), None);
    assert!(dictionaries.cached().bytes <= ROOM);
}
