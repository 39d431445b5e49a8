use super::*;

fn counts() -> SymbolCounts {
    let mut counts = SymbolCounts { literals: [0; 286], distances: [0; 30] };
    (counts.literals[97], counts.literals[256], counts.literals[260]) = (100, 1, 50);
    counts.distances[4] = 50;
    counts
}

/// A table starts with HLIT, HDIST and HCLEN (RFC 1951, section 3.2.7).
#[test]
fn a_table_has_codes_for_all_matches() {
    for uncounted in [Uncounted::Matches, Uncounted::All] {
        let table = Table::of(counts(), uncounted).expect("a table");
        assert_eq!(table.bytes.len(), table.bits.div_ceil(8));
        assert_eq!(table.bytes[0] & 31, 29, "all lengths");
        assert_eq!(table.bytes[0] >> 5 | (table.bytes[1] & 3) << 3, 29, "all distances");
    }
    let few = Table::of(counts(), Uncounted::Matches).map(|table| table.bits);
    assert!(few < Table::of(counts(), Uncounted::All).map(|table| table.bits), "{few:?}");
}

#[test]
fn a_full_cache_keeps_the_latest_table() {
    let cache = TableCache::default();
    let table = |bits| Arc::new(Table { bytes: Vec::new(), bits });
    (0..1000).for_each(|key| cache.put(Some(key), table(key as usize)));
    assert_eq!(cache.get(Some(999)), Some(table(999)));
    assert_eq!(cache.0.lock().expect("not poisoned").len(), MAX_TABLES);
    cache.put(Some(999), table(5));
    assert_eq!(cache.get(Some(999)), Some(table(5)));
    cache.forget(Some(999));
    assert_eq!((cache.get(Some(999)), cache.get(None)), (None, None));
}
